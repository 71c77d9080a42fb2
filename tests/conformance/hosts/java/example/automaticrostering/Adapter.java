package example.automaticrostering;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.CompletableFuture.completedFuture;

import com.dylibso.chicory.log.Logger;
import com.dylibso.chicory.wasi.WasiOptions;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import demo.JacksonCodec;
import demo.JdkAdapter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import org.extism.sdk.chicory.ExtismFunctionException;
import org.extism.sdk.chicory.Manifest;
import org.extism.sdk.chicory.ManifestWasm;
import org.extism.sdk.chicory.Plugin;
import org.extism.sdk.chicory.http.HttpConfig;

/**
 * The host adapter for chicory-sdk-core, and for this library: one JSON object a line on standard
 * input, one response a line on standard output, as tests/conformance/protocol says. The plugin is
 * compiled: interpreted, a string of a megabyte takes nine seconds.
 */
public final class Adapter {
  private static final JsonMapper MAPPER =
      JsonMapper.builder().propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE).build();

  private static final JsonMapper STRICT =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private static final long DEFAULT_TIMEOUT = Timeout.nanos(Duration.ofSeconds(30));

  private record Request(
      Long id,
      String op,
      String instance,
      String wasm,
      boolean wasi,
      Map<String, String> config,
      List<String> allowedHosts,
      boolean client,
      String store,
      String export,
      byte[] input,
      byte[] body,
      Long timeoutMs,
      Long target) {
    Request {
      input = input == null ? new byte[0] : input;
      allowedHosts = allowedHosts == null ? List.of() : allowedHosts;
      config = config == null ? Map.of() : config;
    }
  }

  private record Log(String level, String line) {}

  /** Either is null: a plain instance of the SDK, or a client of the library. */
  private record Instance(Plugin plugin, Client client, Lines lines) {}

  private final Map<String, Instance> instances = new ConcurrentHashMap<>();
  private final Map<Long, Thread> drives = new ConcurrentHashMap<>();
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  public static void main(String[] args) throws IOException {
    // The JDK's client repeats a GET whose connection closed without a response, and the scenarios
    // count requests.
    System.setProperty("jdk.httpclient.redirects.retrylimit", "1");
    new Adapter().run();
  }

  private void run() throws IOException {
    try (MappingIterator<Request> requests =
        MAPPER.readerFor(Request.class).readValues(System.in)) {
      while (requests.hasNextValue()) {
        var request = requests.nextValue();
        handle(request)
            .exceptionally(Adapter::error)
            .thenAccept(response -> write(request, response));
      }
    }
  }

  private synchronized void write(Request r, Map<String, ?> response) {
    var line = new HashMap<String, Object>(response);
    line.put("id", r.id());
    var instance = r.instance() == null ? null : instances.get(r.instance());
    if (instance != null && List.of("call", "drive").contains(r.op())) {
      line.put("logs", instance.lines().all());
    }
    // Bytes, because System.out writes text in the locale's encoding.
    try {
      System.out.writeBytes(MAPPER.writeValueAsBytes(line));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    System.out.println();
    System.out.flush();
  }

  /** What the SDK throws is a trap; it throws StackOverflowError, too. */
  private CompletableFuture<Map<String, ?>> handle(Request r) {
    try {
      return switch (r.op()) {
        case "versions" -> completedFuture(Map.of("versions", Versions.text()));
        case "create" -> create(r);
        case "call" -> call(r);
        case "drive" -> drive(r);
        case "cancel" -> cancel(r);
        case "close" -> close(r);
        default -> throw new IllegalArgumentException("no operation " + r.op());
      };
    } catch (RuntimeException | StackOverflowError e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private CompletableFuture<Map<String, ?>> create(Request r) {
    var lines = new Lines();
    instances.put(
        r.instance(),
        r.client()
            ? new Instance(null, client(r, lines), lines)
            : new Instance(plugin(r, lines), null, lines));
    return completedFuture(Map.of());
  }

  private Client client(Request r, Lines lines) {
    try {
      var config = RosteringConfig.builder();
      r.config().forEach(config::set);
      var builder = RosteringClient.builder(config.build()).httpClient(http);
      var wasm = Path.of(r.wasm());
      if (!wasm.endsWith("rostering-nowasi.wasm")) { // which is in the library, compiled
        builder.plugin(Files.readAllBytes(wasm));
      }
      if (r.store() != null) {
        builder.store(new HttpStore(http, r.store()));
      }
      return builder.open((level, line) -> lines.add(level.getName(), line));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Plugin plugin(Request r, Lines lines) {
    var options =
        new Manifest.Options()
            .withAoT()
            .withAllowedHosts(r.allowedHosts().toArray(String[]::new))
            .withConfig(r.config())
            .withHttpConfig(new HttpConfig(JacksonCodec::new, JdkAdapter::new))
            .withWasi(r.wasi() ? WasiOptions.builder().build() : null);
    var wasm = ManifestWasm.fromFilePath(Path.of(r.wasm())).build();
    return Plugin.ofManifest(Manifest.ofWasms(wasm).withOptions(options).build())
        .withLogger(lines)
        .build();
  }

  private Instance instance(Request r) {
    var instance = instances.get(r.instance());
    if (instance == null) {
      throw new IllegalArgumentException("no instance " + r.instance());
    }
    instance.lines().clear();
    return instance;
  }

  private CompletableFuture<Map<String, ?>> call(Request r) {
    var instance = instance(r);
    if (instance.client() != null) {
      return instance.client().driver.callExport(r.export(), r.input()).thenApply(Adapter::output);
    }
    return completedFuture(output(instance.plugin().call(r.export(), r.input())));
  }

  /**
   * Makes the call as the blocking methods do, which cancel it when their thread is interrupted.
   */
  private CompletableFuture<Map<String, ?>> drive(Request r) {
    var driver = instance(r).client().driver;
    var input = input(r.input());
    if (input == null || !(input.getOrDefault("now", 0) instanceof Number now)) {
      return refused(driver, r);
    }
    input.remove("now");
    var timeout =
        r.timeoutMs() == null
            ? DEFAULT_TIMEOUT
            : r.timeoutMs() == 0 ? Timeout.NONE : Timeout.nanos(Duration.ofMillis(r.timeoutMs()));
    var body = r.body() == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(r.body());
    var call = driver.call(new Beginning(r.export(), input), now::longValue, timeout, body);
    var result = new CompletableFuture<Map<String, ?>>();
    var caller =
        new Thread(
            () -> {
              try {
                result.complete(result(call.make()));
              } catch (Throwable e) {
                result.completeExceptionally(e);
              } finally {
                drives.remove(r.id());
              }
            });
    drives.put(r.id(), caller);
    caller.start();
    return result;
  }

  /** Returns null for what is no object, which no method of the library can express. */
  @SuppressWarnings("unchecked")
  private static Map<String, Object> input(byte[] json) {
    try {
      return new String(json, ISO_8859_1).isBlank()
          ? new HashMap<>()
          : STRICT.readValue(json, HashMap.class);
    } catch (IOException e) {
      return null;
    }
  }

  /** Has the plugin refuse an input. */
  private static CompletableFuture<Map<String, ?>> refused(Driver driver, Request r) {
    var begin = new ByteArrayOutputStream();
    begin.writeBytes(("{\"call\":\"" + r.export() + "\",\"input\":").getBytes(UTF_8));
    begin.writeBytes(r.input());
    begin.write('}');
    return driver
        .callExport("begin", begin.toByteArray())
        .thenApply(
            step -> {
              throw new IllegalStateException("the library cannot express this input");
            });
  }

  private static Map<String, ?> result(Call.Result result) {
    if (result.token() != null) {
      return output(result.token().toJson().getBytes(UTF_8));
    }
    var response = result.response();
    return Map.of("status", response.status(), "output", response.body());
  }

  private static Map<String, ?> output(byte[] output) {
    return Map.of("output", output);
  }

  private static Map<String, ?> error(Throwable thrown) {
    if (thrown instanceof CompletionException e) {
      return error(e.getCause());
    }
    if (thrown instanceof InterruptedException || thrown instanceof CancellationException) {
      return Map.of("canceled", true);
    }
    if (thrown instanceof ExtismFunctionException e) { // of the SDK
      return Map.of("error", e.getError());
    }
    if (thrown instanceof RosteringException e) {
      return Map.of("error", e.toJson());
    }
    return Map.of("trap", thrown.toString());
  }

  private CompletableFuture<Map<String, ?>> cancel(Request r) {
    var drive = drives.remove(r.target());
    if (drive != null) {
      drive.interrupt();
    }
    return completedFuture(Map.of());
  }

  private CompletableFuture<Map<String, ?>> close(Request r) {
    var instance = instances.get(r.instance());
    var isClient = instance != null && instance.client() != null;
    return CompletableFuture.runAsync(isClient ? instance.client()::close : () -> {})
        .thenApply(
            nothing -> {
              instances.remove(r.instance());
              return Map.of();
            });
  }

  /** Keeps the log lines since the last call began. */
  private static final class Lines implements Logger {
    private final List<Log> logs = new ArrayList<>();

    synchronized void clear() {
      logs.clear();
    }

    synchronized List<Log> all() {
      return List.copyOf(logs);
    }

    synchronized void add(String level, String line) {
      logs.add(new Log(level.equals("WARNING") ? "warn" : level.toLowerCase(Locale.ROOT), line));
    }

    @Override
    public void log(Level level, String line, Throwable cause) {
      add(level.name(), line);
    }

    @Override
    public boolean isLoggable(Level level) {
      return true;
    }
  }
}
