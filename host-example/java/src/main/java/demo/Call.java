package demo;

import com.dylibso.chicory.log.Logger;
import com.dylibso.chicory.wasi.WasiOptions;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
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

/** The raw host of the scenarios in Java: see docs/hosts.md. */
public final class Call {
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
    var log = new Lines(new ArrayList<>());
    Plugin plugin = null;
    var requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = requests.readLine()) != null; ) {
      var r = json.readValue(line, Request.class);
      var response = new HashMap<String, Object>(Map.of("id", r.id));
      log.lines.clear();
      try {
        switch (r.op) {
          case "versions" -> response.put("versions", versions());
          case "create" -> plugin = create(r, log);
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
      response.put("logs", log.lines);
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

  private static String versions() throws IOException {
    var all = "Java " + System.getProperty("java.version");
    for (var library : List.of("org.extism.sdk/chicory-sdk-core", "com.dylibso.chicory/runtime")) {
      // Maven writes the version into the library.
      var file = "/META-INF/maven/" + library + "/pom.properties";
      try (var stream = Call.class.getResourceAsStream(file)) {
        var properties = new Properties();
        properties.load(stream);
        var name = library.endsWith("core") ? "chicory-sdk-core" : "chicory";
        all += ", " + name + " " + properties.getProperty("version");
      }
    }
    return all;
  }
}
