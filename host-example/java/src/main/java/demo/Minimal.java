package demo;

import com.dylibso.chicory.wasi.WasiOptions;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import org.extism.sdk.chicory.ExtismFunctionException;
import org.extism.sdk.chicory.Manifest;
import org.extism.sdk.chicory.ManifestWasm;
import org.extism.sdk.chicory.Plugin;
import org.extism.sdk.chicory.http.HttpConfig;

/** The plugin without the library: the Extism SDK, and one of the plugin's exports. */
public final class Minimal {
  public static void main(String[] args) {
    var config = new HashMap<String, String>();
    var keys = "environment auth_url base_url client_id client_secret customer_id user_id";
    for (var key : keys.split(" ")) {
      config.put(key, System.getenv().getOrDefault(variable(key), ""));
    }
    var options =
        new Manifest.Options()
            .withAoT() // compiles the plugin to JVM code
            .withConfig(config)
            .withAllowedHosts(host(config.get("auth_url")), host(config.get("base_url")))
            .withWasi(WasiOptions.builder().build()) // the plugin's clock
            .withHttpConfig(new HttpConfig(JacksonCodec::new, JdkAdapter::new));
    var wasm = ManifestWasm.fromFilePath(Path.of(System.getenv("ROSTERING_WASM"))).build();
    var plugin = Plugin.ofManifest(Manifest.ofWasms(wasm).withOptions(options).build()).build();
    try {
      System.out.writeBytes(plugin.call("list_jobs", new byte[0]));
      System.out.println();
    } catch (ExtismFunctionException e) { // {"code":…,"message":…,"retryable":…}
      fail(e.getError());
    } catch (RuntimeException e) { // a trap: a request got no response
      fail(e.getMessage());
    }
  }

  private static String variable(String key) {
    return "ROSTERING_" + key.toUpperCase(Locale.ROOT);
  }

  private static String host(String url) {
    var host = URI.create(url).getHost();
    return host == null ? "" : host;
  }

  private static void fail(String message) {
    System.err.println(message);
    System.exit(1);
  }
}
