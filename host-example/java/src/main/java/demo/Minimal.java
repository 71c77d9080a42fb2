package demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.dylibso.chicory.log.Logger;
import com.dylibso.chicory.wasi.WasiOptions;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import org.extism.sdk.chicory.ExtismFunctionException;
import org.extism.sdk.chicory.Manifest;
import org.extism.sdk.chicory.ManifestWasm;
import org.extism.sdk.chicory.Plugin;
import org.extism.sdk.chicory.http.HttpConfig;

/**
 * The plugin without the library: the Extism SDK, and one of the plugin's exports. With the
 * argument {@code call}, it carries out requests that it reads: {@link #respond}.
 */
public final class Minimal {
  public static void main(String[] args) throws IOException {
    if (List.of(args).contains("call")) {
      respond();
      return;
    }
    var config = new HashMap<String, String>();
    var keys = "environment auth_url base_url client_id client_secret customer_id user_id";
    for (var key : keys.split(" ")) {
      config.put(key, System.getenv().getOrDefault(variable(key), ""));
    }
    // snippet
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
    // end of snippet
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

  private record Request(
      long id,
      String op,
      String instance,
      String wasm,
      boolean wasi,
      Map<String, String> config,
      String[] allowedHosts,
      String export,
      byte[] input) {}

  /** Reads a JSON object a line, and responds to each in order with one: docs/hosts.md. */
  private static void respond() throws IOException {
    var json =
        JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();
    var plugins = new HashMap<String, Plugin>();
    var log = new Lines(new ArrayList<>());
    var requests = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (String line; (line = requests.readLine()) != null; ) {
      var r = json.readValue(line, Request.class);
      var response = new HashMap<String, Object>();
      response.put("id", r.id);
      log.lines.clear();
      try {
        switch (r.op) {
          case "versions" -> response.put("versions", versions());
          case "create" -> plugins.put(r.instance, create(r, log));
          case "call" -> {
            var input = r.input == null ? new byte[0] : r.input;
            response.put("output", plugins.get(r.instance).call(r.export, input));
            response.put("logs", log.lines);
          }
          case "close" -> plugins.remove(r.instance);
          default -> throw new IllegalArgumentException("no operation " + r.op);
        }
      } catch (ExtismFunctionException e) {
        response.put("error", e.getError());
        response.put("logs", log.lines);
      } catch (RuntimeException | StackOverflowError e) {
        response.put("trap", e.toString());
      }
      System.out.writeBytes(json.writeValueAsBytes(response));
      System.out.println();
    }
  }

  private static Plugin create(Request r, Logger log) {
    var options =
        new Manifest.Options()
            .withAoT()
            .withAllowedHosts(r.allowedHosts == null ? new String[0] : r.allowedHosts)
            .withConfig(r.config == null ? Map.of() : r.config)
            .withHttpConfig(new HttpConfig(JacksonCodec::new, JdkAdapter::new))
            .withWasi(r.wasi ? WasiOptions.builder().build() : null);
    var wasm = ManifestWasm.fromFilePath(Path.of(r.wasm)).build();
    var manifest = Manifest.ofWasms(wasm).withOptions(options).build();
    return Plugin.ofManifest(manifest).withLogger(log).build();
  }

  private record Line(String level, String line) {}

  private record Lines(List<Line> lines) implements Logger {
    @Override
    public void log(Level level, String line, Throwable cause) {
      var name = level == Level.WARNING ? "warn" : level.name().toLowerCase(Locale.ROOT);
      lines.add(new Line(name, line)); // a trace line is of the SDK
    }

    @Override
    public boolean isLoggable(Level level) {
      return true;
    }
  }

  private static String versions() {
    return "Java %s, chicory-sdk-core %s, chicory %s"
        .formatted(
            System.getProperty("java.version"),
            version("org.extism.sdk/chicory-sdk-core"),
            version("com.dylibso.chicory/runtime"));
  }

  /** The version that Maven writes into a library. */
  private static String version(String library) {
    var file = "/META-INF/maven/" + library + "/pom.properties";
    try (var stream = Minimal.class.getResourceAsStream(file)) {
      var properties = new Properties();
      properties.load(stream);
      return properties.getProperty("version");
    } catch (IOException e) {
      return "unknown";
    }
  }
}
