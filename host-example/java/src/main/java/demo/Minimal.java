package demo;

import com.dylibso.chicory.wasi.WasiOptions;
import java.io.PrintStream;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.extism.sdk.chicory.ExtismFunctionException;
import org.extism.sdk.chicory.Manifest;
import org.extism.sdk.chicory.ManifestWasm;
import org.extism.sdk.chicory.Plugin;
import org.extism.sdk.chicory.http.HttpConfig;

/** The direct form: the SDK and the plugin's exports, without the library. README.md shows it. */
public final class Minimal {
  private Minimal() {}

  public static void main(String[] args) {
    run(System.getenv(), System.out);
  }

  static void run(Map<String, String> env, PrintStream out) {
    var config = new HashMap<String, String>();
    var keys = "environment auth_url base_url client_id client_secret customer_id user_id";
    for (var key : keys.split(" ")) {
      config.put(key, env.get("ROSTERING_" + key.toUpperCase(Locale.ROOT)));
    }
    var options =
        new Manifest.Options()
            .withAoT() // compiles the plugin to JVM code
            .withConfig(config)
            .withAllowedHosts(host(config.get("auth_url")), host(config.get("base_url")))
            .withWasi(WasiOptions.builder().build()) // the plugin's clock
            .withHttpConfig(new HttpConfig(JacksonCodec::new, JdkAdapter::new));
    var wasm = ManifestWasm.fromFilePath(Path.of(env.get("ROSTERING_WASM"))).build();
    var plugin = Plugin.ofManifest(Manifest.ofWasms(wasm).withOptions(options).build()).build();
    try {
      out.writeBytes(plugin.call("list_jobs", new byte[0]));
    } catch (ExtismFunctionException e) { // {"code":…,"message":…,"retryable":…}
      out.println(e.getError());
    }
  }

  private static String host(String url) {
    return URI.create(url).getHost();
  }
}
