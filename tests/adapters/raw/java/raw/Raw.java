package raw;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.dylibso.chicory.log.Logger;
import com.dylibso.chicory.wasi.WasiOptions;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import demo.JacksonCodec;
import demo.JdkAdapter;
import java.io.*;
import java.nio.file.Path;
import java.util.*;
import org.extism.sdk.chicory.*;
import org.extism.sdk.chicory.http.HttpConfig;

/** The raw host in Java: see tests/adapters/README.md. */
public final class Raw {
  private static final JsonMapper JSON = new JsonMapper();

  public static void main(String[] args) throws IOException {
    Plugin plugin = null;
    var requests = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (String line; (line = requests.readLine()) != null; ) {
      var r = JSON.readTree(line);
      var response = new HashMap<String, Object>(Map.of("id", r.get("id")));
      try {
        switch (r.get("op").textValue()) {
          case "open" -> plugin = open(r);
          default -> {
            var input = r.path("input").asText().getBytes(ISO_8859_1);
            var output = plugin.call(r.get("export").textValue(), input);
            response.put("output", new String(output, ISO_8859_1));
          }
        }
      } catch (ExtismFunctionException e) {
        response.put("error", e.getError());
      } catch (RuntimeException | StackOverflowError e) {
        response.put("text", e.toString());
      }
      print(response);
    }
  }

  private static Plugin open(JsonNode r) {
    var config = new HashMap<String, String>();
    r.path("config").properties().forEach(e -> config.put(e.getKey(), e.getValue().asText()));
    var hosts = JSON.convertValue(r.path("allowed_hosts"), String[].class);
    var options =
        new Manifest.Options()
            .withAoT()
            .withAllowedHosts(hosts == null ? new String[0] : hosts)
            .withConfig(config)
            .withHttpConfig(new HttpConfig(JacksonCodec::new, JdkAdapter::new))
            .withWasi(r.path("wasi").asBoolean() ? WasiOptions.builder().build() : null);
    var wasm = ManifestWasm.fromFilePath(Path.of(r.get("wasm").textValue())).build();
    var manifest = Manifest.ofWasms(wasm).withOptions(options).build();
    return Plugin.ofManifest(manifest).withLogger(new Events()).build();
  }

  private static void print(Map<String, Object> object) {
    System.out.writeBytes((JSON.valueToTree(object) + "\n").getBytes(UTF_8));
  }

  private static final class Events implements Logger {
    @Override
    public void log(Level level, String line, Throwable cause) {
      if (level != Level.TRACE) { // of the SDK
        var name = level == Level.WARNING ? "warn" : level.name().toLowerCase(Locale.ROOT);
        print(Map.of("event", "log", "level", name, "line", line));
      }
    }

    @Override
    public boolean isLoggable(Level level) {
      return true;
    }
  }
}
