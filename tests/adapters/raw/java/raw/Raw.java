package raw;

import com.dylibso.chicory.log.Logger;
import com.dylibso.chicory.wasi.WasiOptions;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import demo.JacksonCodec;
import demo.JdkAdapter;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
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

/** The raw host in Java: see tests/adapters/README.md. */
public final class Raw {
  private record Request(
      long id,
      String op,
      String wasm,
      boolean wasi,
      Map<String, String> config,
      String[] allowedHosts,
      String export,
      byte[] input) {}

  public static void main(String[] args) throws IOException {
    var json =
        JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();
    var log = new Events(json);
    Plugin plugin = null;
    var requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = requests.readLine()) != null; ) {
      var r = json.readValue(line, Request.class);
      var response = new HashMap<String, Object>(Map.of("id", r.id));
      try {
        switch (r.op) {
          case "versions" -> response.put("versions", versions());
          case "open" -> plugin = open(r, log);
          default -> {
            var input = r.input == null ? new byte[0] : r.input;
            response.put("output", plugin.call(r.export, input));
          }
        }
      } catch (ExtismFunctionException e) {
        response.put("error", e.getError());
      } catch (RuntimeException | StackOverflowError e) {
        response.put("trap", e.toString());
      }
      print(json, response);
    }
  }

  private static Plugin open(Request r, Logger log) {
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

  private static void print(JsonMapper json, Map<String, Object> object) {
    try {
      System.out.writeBytes(json.writeValueAsBytes(object));
      System.out.println();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private record Events(JsonMapper json) implements Logger {
    @Override
    public void log(Level level, String line, Throwable cause) {
      if (level == Level.TRACE) { // of the SDK
        return;
      }
      var name = level == Level.WARNING ? "warn" : level.name().toLowerCase(Locale.ROOT);
      print(json, Map.of("event", "log", "level", name, "line", line));
    }

    @Override
    public boolean isLoggable(Level level) {
      return true;
    }
  }

  private static String versions() throws IOException {
    var all = "Java " + System.getProperty("java.version");
    for (var library : List.of("org.extism.sdk/chicory-sdk-core", "com.dylibso.chicory/runtime")) {
      // Maven writes the version into the library.
      var file = "/META-INF/maven/" + library + "/pom.properties";
      try (var stream = Raw.class.getResourceAsStream(file)) {
        var properties = new Properties();
        properties.load(stream);
        var name = library.endsWith("core") ? "chicory-sdk-core" : "chicory";
        all += ", " + name + " " + properties.getProperty("version");
      }
    }
    return all;
  }
}
