package conformance;

import com.dylibso.chicory.log.Logger;
import com.dylibso.chicory.wasi.WasiOptions;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.extism.sdk.chicory.ExtismFunctionException;
import org.extism.sdk.chicory.Manifest;
import org.extism.sdk.chicory.ManifestWasm;
import org.extism.sdk.chicory.Plugin;
import org.extism.sdk.chicory.http.HttpConfig;
import rostering.HttpAdapter;
import rostering.JsonCodec;
import rostering.Steps;

/**
 * The host adapter for chicory-sdk-core: one JSON object a line on standard input, one answer a
 * line on standard output. Its argument is {@code interpreter} or {@code aot}.
 */
public final class Adapter {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final JsonMapper MAPPER = new JsonMapper();

  private record Request(
      String op,
      String instance,
      String wasm,
      boolean wasi,
      Map<String, String> config,
      @JsonProperty("allowed_hosts") List<String> allowedHosts,
      String export,
      byte[] input) {}

  @JsonInclude(JsonInclude.Include.NON_NULL)
  private record Answer(byte[] output, String error, String trap, List<Log> logs, String versions) {
    static Answer empty() {
      return new Answer(null, null, null, null, null);
    }

    static Answer output(byte[] output) {
      return new Answer(output, null, null, null, null);
    }

    static Answer error(String text) {
      return new Answer(null, text, null, null, null);
    }

    static Answer trap(String text) {
      return new Answer(null, null, text, null, null);
    }

    static Answer versions(String text) {
      return new Answer(null, null, null, null, text);
    }

    Answer withLogs(List<Log> logs) {
      return new Answer(output, error, trap, logs, versions);
    }
  }

  private record Log(String level, String line) {}

  private record Instance(Plugin plugin, HttpAdapter http, Lines lines) {}

  private final Map<String, Instance> instances = new HashMap<>();
  private final HttpClient client = HttpAdapter.defaultClient();
  private final boolean aot;

  private Adapter(boolean aot) {
    this.aot = aot;
  }

  public static void main(String[] args) throws IOException {
    var engine = args.length == 1 ? args[0] : "";
    if (!List.of("interpreter", "aot").contains(engine)) {
      System.err.println("which engine: interpreter or aot?");
      System.exit(2);
    }
    // The JDK's client sends a GET again if the connection is closed on it, and the scenarios
    // count requests.
    System.setProperty("jdk.httpclient.redirects.retrylimit", "1");
    new Adapter(engine.equals("aot")).run();
  }

  private void run() throws IOException {
    try (MappingIterator<Request> requests =
        MAPPER.readerFor(Request.class).readValues(System.in)) {
      while (requests.hasNextValue()) {
        // Bytes, because System.out writes text in the locale's encoding.
        System.out.write(MAPPER.writeValueAsBytes(handle(requests.nextValue())));
        System.out.println();
        System.out.flush();
      }
    }
  }

  /** Whatever the SDK throws is a trap; it throws StackOverflowError, too. */
  private Answer handle(Request r) {
    try {
      return switch (r.op()) {
        case "create" -> create(r);
        case "call", "drive" -> call(instances.get(r.instance()), r);
        case "close" -> close(r);
        case "versions" -> Answer.versions(Versions.text());
        default -> Answer.trap("no operation " + r.op());
      };
    } catch (RuntimeException | StackOverflowError e) {
      return Answer.trap(e.toString());
    }
  }

  private Answer create(Request r) {
    var http = new HttpAdapter(client, TIMEOUT);
    var hosts = r.allowedHosts() == null ? List.<String>of() : r.allowedHosts();
    var options =
        new Manifest.Options()
            .withAoT(aot)
            .withAllowedHosts(hosts.toArray(String[]::new))
            .withConfig(r.config())
            .withHttpConfig(
                HttpConfig.builder()
                    .withClientAdapter(() -> http)
                    .withJsonCodec(JsonCodec::new)
                    .build())
            .withWasi(r.wasi() ? WasiOptions.builder().build() : null);
    var wasm = ManifestWasm.fromFilePath(Path.of(r.wasm())).build();
    var lines = new Lines();
    var plugin =
        Plugin.ofManifest(Manifest.ofWasms(wasm).withOptions(options).build())
            .withLogger(lines)
            .build();
    instances.put(r.instance(), new Instance(plugin, http, lines));
    return Answer.empty();
  }

  private Answer call(Instance i, Request r) {
    if (i == null) {
      return Answer.trap("no instance " + r.instance());
    }
    i.lines.logs = new ArrayList<>();
    var input = r.input() == null ? new byte[0] : r.input();
    return answer(i, r, input).withLogs(i.lines.logs);
  }

  private Answer answer(Instance i, Request r, byte[] input) {
    try {
      if (r.op().equals("drive")) {
        return Answer.output(drive(i.plugin, r.export(), input));
      }
      i.http.startCall();
      return Answer.output(i.plugin.call(r.export(), input));
    } catch (ExtismFunctionException e) {
      return Answer.error(e.getError());
    } catch (RuntimeException | StackOverflowError | IOException | InterruptedException e) {
      return Answer.trap(e.toString());
    }
  }

  private byte[] drive(Plugin plugin, String call, byte[] input)
      throws IOException, InterruptedException {
    var fields = new HashMap<String, JsonNode>();
    if (!new String(input, StandardCharsets.UTF_8).isBlank()) {
      MAPPER.readerForMapOf(JsonNode.class).withValueToUpdate(fields).readValue(input);
    }
    // The clock stands at the input's time.
    var now = fields.getOrDefault("now", MissingNode.getInstance()).asLong();
    return new Steps(plugin, client, () -> Instant.ofEpochSecond(now)).call(call, fields, TIMEOUT);
  }

  private Answer close(Request r) {
    instances.remove(r.instance());
    return Answer.empty();
  }

  /** Keeps the log lines of one call. */
  private static final class Lines implements Logger {
    private List<Log> logs = new ArrayList<>();

    @Override
    public void log(Level level, String line, Throwable cause) {
      var name = level == Level.WARNING ? "warn" : level.name().toLowerCase(Locale.ROOT);
      logs.add(new Log(name, line));
    }

    @Override
    public boolean isLoggable(Level level) {
      return true;
    }
  }
}
