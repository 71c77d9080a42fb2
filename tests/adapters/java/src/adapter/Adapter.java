package adapter;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.*;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.util.RawValue;
import example.automaticrostering.*;
import example.automaticrostering.RosteringConfig.Environment;
import java.io.*;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.net.http.*;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.*;
import java.time.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** See tests/adapters/README.md. With {@code -Dasync=true}, the calls return futures. */
public final class Adapter {
  private static final StreamReadConstraints ANY_LENGTH =
      StreamReadConstraints.builder().maxStringLength(Integer.MAX_VALUE).build();
  static final JsonMapper JSON =
      new JsonMapper(JsonFactory.builder().streamReadConstraints(ANY_LENGTH).build());

  private record Opened(RosteringClient client, AtomicLong now) {}

  private HttpClient http; // made by the first request that needs it, as that takes long
  private final Map<String, Opened> clients = new HashMap<>();
  private final Stores stores = new Stores();
  private final Map<Long, Runnable> cancels = new ConcurrentHashMap<>();

  public static void main(String[] args) throws IOException {
    var adapter = new Adapter();
    var requests = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (String line; (line = requests.readLine()) != null; ) {
      var r = JSON.readTree(line);
      try {
        adapter.begin(r);
      } catch (Throwable e) {
        adapter.respond(r, e);
      }
    }
    System.exit(0); // whatever is still in progress
  }

  private void respond(JsonNode r, Object result) {
    cancels.remove(r.get("id").longValue());
    Output.respond(r, result);
  }

  private void begin(JsonNode r) throws Exception {
    switch (r.get("op").textValue()) {
      case "versions" -> respond(r, Map.of("versions", versions()));
      case "open" -> respond(r, open(r));
      case "store" -> {
        var store = stores.open(r.get("store"), http());
        thread(r, () -> Stores.use(store, r));
      }
      case "cancel" -> {
        cancels.getOrDefault(r.get("target").longValue(), () -> {}).run();
        respond(r, null);
      }
      case "own" -> {
        var request = ownRequest(r);
        var body = HttpResponse.BodyHandlers.ofByteArray();
        if (r.has("client")) {
          var client = client(r);
          send(r, () -> client.send(request, body), () -> client.sendAsync(request, body));
        } else {
          send(r, () -> http().send(request, body), () -> http().sendAsync(request, body));
        }
      }
      default -> call(r, client(r));
    }
  }

  private synchronized HttpClient http() {
    if (http == null) {
      http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    }
    return http;
  }

  private void call(JsonNode r, RosteringClient client) throws Exception {
    switch (r.get("op").textValue()) {
      case "list_jobs" -> {
        var view = client;
        for (var header : strings(r.path("request").path("headers")).entrySet()) {
          view = view.withHeader(header.getKey(), header.getValue());
        }
        call(r, view::listJobs, view::listJobsAsync);
      }
      case "send_request" -> {
        var request = request(r.get("request"));
        call(r, () -> client.sendRequest(request), () -> client.sendRequestAsync(request));
      }
      case "get_token" -> {
        var options =
            r.has("refused")
                ? TokenOptions.refused(r.get("refused").textValue())
                : r.has("force") ? TokenOptions.force() : TokenOptions.cached();
        call(r, () -> client.getToken(options), () -> client.getTokenAsync(options));
      }
      case "set_token" -> {
        var token = Token.ofJson(r.get("token").toString());
        thread(r, done(() -> client.setToken(token)));
      }
      case "clear_token" -> thread(r, done(client::clearToken));
      case "set_secret" -> {
        var secret = r.get("secret").textValue();
        thread(r, done(() -> client.setSecret(secret)));
      }
      case "status" -> thread(r, () -> Map.of("known", new RawValue(client.status().toJson())));
      case "close" -> {
        var limit = r.has("timeout") ? seconds(r.get("timeout")) : null;
        thread(r, done(limit == null ? client::close : () -> client.close(limit)));
      }
      default -> throw new UnsupportedOperationException("no operation " + r.get("op"));
    }
  }

  /** Makes a call, perhaps with retries. */
  private <T> void call(JsonNode r, Retry.Call<T> blocking, Supplier<CompletableFuture<T>> async) {
    if (r.has("retry")) {
      var retry = r.get("retry");
      var deadline = seconds(retry.get("deadline"));
      if (retry.has("codes")) {
        var codes = new HashSet<String>();
        retry.get("codes").forEach(code -> codes.add(code.textValue().toUpperCase()));
        thread(r, () -> Retry.call(deadline, blocking, e -> codes.contains(e.code().name())));
      } else {
        thread(r, () -> Retry.call(deadline, blocking));
      }
    } else {
      send(r, blocking::call, async);
    }
  }

  private <T> void send(JsonNode r, Callable<T> blocking, Supplier<CompletableFuture<T>> async) {
    if (!Boolean.getBoolean("async") || r.has("times")) {
      thread(r, blocking);
      return;
    }
    var future = async.get();
    cancels.put(r.get("id").longValue(), () -> future.cancel(true));
    future.whenComplete((value, e) -> respond(r, e == null ? value : e));
  }

  private interface Action {
    void run() throws Exception;
  }

  private static Callable<?> done(Action action) {
    return () -> {
      action.run();
      return null;
    };
  }

  /** Works in a thread. Calls begin in the order of their requests: the next one waits for that. */
  private void thread(JsonNode r, Callable<?> work) {
    var thread =
        new Thread(
            () -> {
              try {
                for (var left = r.path("times").asInt(1); left > 1; left--) {
                  work.call();
                }
                respond(r, work.call());
              } catch (Throwable e) {
                respond(r, e);
              }
            });
    cancels.put(r.get("id").longValue(), thread::interrupt);
    thread.start();
    while (thread.getState() == Thread.State.RUNNABLE) {
      Thread.yield();
    }
  }

  private Map<String, ?> open(JsonNode r) throws Exception {
    var config =
        r.has("variables")
            ? RosteringConfig.fromEnvironment(strings(r.get("variables")))
            : config(strings(r.path("config")));
    var builder = RosteringClient.builder(config);
    if (r.has("timeout")) {
      var limit = seconds(r.get("timeout"));
      builder = limit == null ? builder.noTimeout() : builder.timeout(limit);
    }
    if (r.has("max_body")) {
      builder.maxBody(Math.toIntExact(r.get("max_body").longValue()));
    }
    if (r.has("user_agent")) {
      throw new UnsupportedOperationException("neither library nor JDK have such an option");
    }
    if (r.has("wasm")) {
      builder.plugin(Files.readAllBytes(Path.of(r.get("wasm").textValue())));
    }
    if (r.has("store")) {
      builder.store(stores.open(r.get("store"), http()));
    }
    strings(r.path("headers")).forEach(builder::header);
    var now = new AtomicLong();
    if (r.path("clock").booleanValue()) {
      builder.clock(() -> Instant.ofEpochSecond(now.get()));
    }
    var name = r.get("client").textValue();
    builder.logger(
        (level, line) -> {
          if (r.has("log")) {
            throw new AssertionError("the log is full");
          }
          var shown = level == Level.WARNING ? "warn" : "debug";
          Output.write(Map.of("event", "log", "client", name, "level", shown, "line", line));
        });
    clients.put(name, new Opened(builder.open(), now));
    return Map.of();
  }

  /** Sets fields by their names, because Java has no other way: a new one needs no change here. */
  private static RosteringConfig config(Map<String, String> values) throws Exception {
    var builder = RosteringConfig.builder();
    for (var field : values.entrySet()) {
      var name = field.getKey().replace("_", "");
      var setter =
          Stream.of(RosteringConfig.Builder.class.getMethods())
              .filter(method -> method.getName().equalsIgnoreCase(name))
              .findAny()
              .orElseThrow(() -> new IllegalArgumentException("no field " + name));
      setter.invoke(builder, value(setter.getParameterTypes()[0], field.getValue()));
    }
    return builder.build();
  }

  private static Object value(Class<?> type, String text) {
    return switch (type.getSimpleName()) {
      case "boolean" -> Map.of("true", true, "false", false).get(text);
      case "Duration" -> Duration.ofSeconds(Long.parseLong(text));
      case "Environment" -> text.isEmpty() ? null : Environment.valueOf(text.toUpperCase());
      default -> text;
    };
  }

  /** The view that a request is for. */
  private RosteringClient client(JsonNode r) {
    var opened = clients.get(r.path("client").textValue());
    if (r.has("now")) {
      opened.now.set(r.get("now").longValue());
    }
    var view = opened.client;
    if (r.has("customer_id")) {
      var id = r.get("customer_id").textValue();
      view = id == null ? view.forNoCustomer() : view.forCustomer(id);
    }
    if (r.has("user_id")) {
      var id = r.get("user_id").textValue();
      view = id == null ? view.forNoUser() : view.forUser(id);
    }
    if (r.has("timeout") && !r.get("op").textValue().equals("close")) {
      var limit = seconds(r.get("timeout"));
      view = limit == null ? view.withNoTimeout() : view.withTimeout(limit);
    }
    return view;
  }

  private static ServiceRequest request(JsonNode fields) {
    var request = ServiceRequest.builder(fields.path("path").textValue());
    if (fields.has("method")) {
      request.method(fields.get("method").textValue());
    }
    strings(fields.path("query")).forEach(request::query);
    strings(fields.path("headers")).forEach(request::header);
    if (fields.has("json")) {
      request.json(fields.get("json").toString());
    }
    if (fields.has("body")) {
      request.body(body(fields));
    }
    return request.build();
  }

  private static HttpRequest ownRequest(JsonNode r) {
    var fields = r.get("request");
    if (fields.has("query") || fields.has("json")) {
      throw new UnsupportedOperationException("java.net.http has neither query nor JSON");
    }
    var request = HttpRequest.newBuilder(URI.create(fields.get("url").textValue()));
    var body = fields.has("body") ? body(fields) : BodyPublishers.noBody();
    request.method(fields.path("method").asText("GET"), body);
    strings(fields.path("headers")).forEach(request::setHeader);
    if (r.hasNonNull("timeout")) {
      request.timeout(seconds(r.get("timeout")));
    }
    return request.build();
  }

  private static HttpRequest.BodyPublisher body(JsonNode fields) {
    var body = BodyPublishers.ofByteArray(Base64.getDecoder().decode(fields.get("body").asText()));
    return fields.has("once") ? BodyPublishers.fromPublisher(body) : body;
  }

  private static Map<String, String> strings(JsonNode object) {
    var strings = new TreeMap<String, String>();
    object.properties().forEach(field -> strings.put(field.getKey(), field.getValue().asText()));
    return strings;
  }

  private static Duration seconds(JsonNode number) {
    return number.isNull() ? null : Duration.ofMillis(Math.round(number.doubleValue() * 1000));
  }

  private static String versions() throws IOException {
    var runtime = new Properties();
    var path = "META-INF/maven/run.endive/runtime/pom.properties"; // which Maven writes
    runtime.load(ClassLoader.getSystemResourceAsStream(path));
    return "Java %s, endive %s"
        .formatted(System.getProperty("java.version"), runtime.getProperty("version"));
  }
}
