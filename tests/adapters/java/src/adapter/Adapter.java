package adapter;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.Executors.callable;

import com.fasterxml.jackson.core.*;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import example.automaticrostering.*;
import java.io.*;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.net.http.*;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.*;
import java.time.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicLong;

/** See tests/adapters/README.md. */
public final class Adapter {
  private static final PrintStream LINES = new PrintStream(System.out, true, UTF_8);
  private static final StreamReadConstraints ANY_LENGTH =
      StreamReadConstraints.builder().maxStringLength(Integer.MAX_VALUE).build();
  static final JsonMapper JSON =
      new JsonMapper(JsonFactory.builder().streamReadConstraints(ANY_LENGTH).build());

  private static final BodyHandler<byte[]> BYTES = BodyHandlers.ofByteArray();

  private record Opened(RosteringClient client, AtomicLong now) {}

  private final Map<String, Opened> clients = Collections.synchronizedMap(new HashMap<>());
  private final Stores stores = new Stores();
  private final Map<Long, Runnable> cancels = new ConcurrentHashMap<>();

  /** Made by the first request that needs it, as that takes long. */
  static final class Http {
    static final HttpClient CLIENT =
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  }

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

  private void begin(JsonNode r) throws Exception {
    thread(r, call(r, view(r)));
  }

  private Callable<?> call(JsonNode r, RosteringClient client) {
    var limit = r.has("timeout") ? seconds(r.get("timeout")) : null;
    return switch (r.get("op").textValue()) {
      case "open" -> () -> open(r);
      case "cancel" -> callable(cancels.getOrDefault(r.path("target").longValue(), () -> {}));
      case "store" -> () -> Stores.use(stores.open(r.get("store")), r);
      case "own" ->
          () -> client == null ? Http.CLIENT.send(own(r), BYTES) : client.send(own(r), BYTES);
      case "list_jobs" -> r.has("retry") ? () -> retried(r, client) : client::listJobs;
      case "send_request" -> () -> client.sendRequest(request(r));
      case "get_token" -> () -> client.getToken(options(r));
      case "set_token" -> callable(() -> client.setToken(Token.ofJson(r.get("token").toString())));
      case "clear_token" -> callable(() -> client.clearToken());
      case "set_secret" -> callable(() -> client.setSecret(r.get("secret").textValue()));
      case "status" -> client::status;
      case "close" ->
          limit == null ? callable(() -> client.close()) : callable(() -> client.close(limit));
      default -> throw new UnsupportedOperationException("no operation " + r.get("op"));
    };
  }

  private static Response retried(JsonNode r, RosteringClient client) throws InterruptedException {
    var deadline = seconds(r.get("retry").get("deadline"));
    var code = r.get("retry").path("code").asText();
    return code.isEmpty()
        ? Retry.call(deadline, client::listJobs)
        : Retry.call(deadline, client::listJobs, e -> e.code().toString().equals(code));
  }

  /** Works in a thread. Calls begin in the order of their requests: the next one waits for that. */
  private void thread(JsonNode r, Callable<?> work) throws InterruptedException {
    var thread =
        new Thread(
            () -> {
              Object result = null;
              for (var left = r.path("times").asInt(1); left > 0; left--) {
                try {
                  result = work.call();
                } catch (Throwable e) {
                  result = e;
                }
              }
              respond(r, result);
            });
    cancels.put(r.get("id").longValue(), thread::interrupt);
    thread.start();
    if (r.get("op").textValue().equals("open")) {
      thread.join();
    }
    while (thread.getState() == Thread.State.RUNNABLE) {
      Thread.yield();
    }
  }

  private Object open(JsonNode r) throws Exception {
    var config = RosteringConfig.fromEnvironment(strings(r.get("variables")));
    var builder = RosteringClient.builder(config);
    if (r.has("timeout")) {
      var limit = seconds(r.get("timeout"));
      builder = limit == null ? builder.noTimeout() : builder.timeout(limit);
    }
    if (r.has("max_body")) {
      builder.maxBody(Math.toIntExact(r.get("max_body").longValue()));
    }
    if (r.has("wasm")) {
      builder.plugin(Files.readAllBytes(Path.of(r.get("wasm").textValue())));
    }
    if (r.has("store")) {
      builder.store(stores.open(r.get("store")));
    }
    strings(r.path("headers")).forEach(builder::header);
    var now = new AtomicLong(r.get("now").longValue());
    builder.clock(() -> Instant.ofEpochSecond(now.get()));
    var name = r.get("client").textValue();
    builder.logger(
        (level, line) -> {
          var shown = level == Level.WARNING ? "warn" : "debug";
          write(Map.of("event", "log", "client", name, "level", shown, "line", line));
        });
    clients.put(name, new Opened(builder.open(), now));
    return null;
  }

  /** The view that a request is for, or null. */
  private RosteringClient view(JsonNode r) {
    var opened = clients.get(r.path("client").textValue());
    if (opened == null) {
      return null;
    }
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
    if (r.get("op").textValue().equals("list_jobs")) {
      for (var header : strings(r.path("headers")).entrySet()) {
        view = view.withHeader(header.getKey(), header.getValue());
      }
    }
    return view;
  }

  private static ServiceRequest request(JsonNode r) {
    var request = new ServiceRequest(r.path("path").textValue());
    if (r.has("method")) {
      request.method(r.get("method").textValue());
    }
    strings(r.path("query")).forEach(request::query);
    strings(r.path("headers")).forEach(request::header);
    if (r.has("json")) {
      request.json(r.get("json").toString());
    }
    if (r.has("body")) {
      request.body(body(r));
    }
    return request;
  }

  private static TokenOptions options(JsonNode r) {
    return r.has("refused")
        ? TokenOptions.refused(r.get("refused").textValue())
        : r.path("force").asBoolean() ? TokenOptions.force() : TokenOptions.cached();
  }

  private static HttpRequest own(JsonNode r) {
    var request = HttpRequest.newBuilder(URI.create(r.get("url").textValue()));
    var body = r.has("body") ? body(r) : BodyPublishers.noBody();
    request.method(r.path("method").asText("GET"), body);
    strings(r.path("headers")).forEach(request::setHeader);
    if (r.hasNonNull("timeout")) {
      request.timeout(seconds(r.get("timeout")));
    }
    return request.build();
  }

  private static HttpRequest.BodyPublisher body(JsonNode r) {
    var body = BodyPublishers.ofString(r.get("body").textValue());
    return r.has("once") ? BodyPublishers.fromPublisher(body) : body;
  }

  private static Map<String, String> strings(JsonNode object) {
    var strings = new TreeMap<String, String>();
    object.properties().forEach(field -> strings.put(field.getKey(), field.getValue().asText()));
    return strings;
  }

  private static Duration seconds(JsonNode number) {
    return number.isNull() ? null : Duration.ofMillis(Math.round(number.doubleValue() * 1000));
  }

  private static void write(Map<String, ?> line) {
    LINES.println(JSON.valueToTree(line).toString());
  }

  /** Responds with a result, which may be null, or with what was thrown. */
  private void respond(JsonNode r, Object result) {
    var response = new HashMap<String, Object>(Map.of("id", r.get("id")));
    Optional.ofNullable(clients.get(r.path("client").textValue()))
        .ifPresent(opened -> response.put("plugin_calls", pluginCalls(opened.client)));
    if (result instanceof Throwable e) {
      failed(response, e);
    } else if (result instanceof Token token) {
      response.put("json", new RawValue(token.toJson()));
    } else if (result instanceof Status status) {
      response.put("json", new RawValue(status.toJson()));
    } else if (result instanceof Response http) {
      http(response, http);
    } else if (result instanceof HttpResponse<?> http) { // of own
      http(response, new Response(http.statusCode(), http.headers(), (byte[]) http.body()));
    } else {
      response.put("json", result);
    }
    cancels.remove(r.get("id").longValue());
    write(response);
  }

  /** How often the plugin of a client ran, which the library tells nobody else. */
  private static long pluginCalls(Object from) {
    try {
      for (var name : List.of("shared", "plugin", "runs")) {
        var field = from.getClass().getDeclaredField(name);
        field.setAccessible(true);
        from = field.get(from);
      }
      return ((Number) from).longValue();
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  private static void http(Map<String, Object> response, Response http) {
    var headers = new HashMap<String, String>();
    http.headers().map().forEach((n, all) -> headers.put(n.toLowerCase(), String.join(", ", all)));
    response.put("status", http.status());
    response.put("headers", headers);
    response.put("body", new String(http.body(), ISO_8859_1));
  }

  private static void failed(Map<String, Object> response, Throwable e) {
    response.put("text", e.toString());
    response.put("shown", shown(e));
    Optional.ofNullable(e.getCause()).ifPresent(cause -> response.put("cause", cause.toString()));
    if (e instanceof RosteringException error) {
      var body = error.body().orElse("").getBytes(UTF_8);
      http(response, new Response(error.status().orElse(0), error.headers(), body));
      response.put("error", withoutHeaders(error.full()));
    }
  }

  private static String withoutHeaders(String error) {
    try {
      return ((ObjectNode) JSON.readTree(error)).without("headers").toString();
    } catch (JsonProcessingException e) {
      throw new AssertionError(e);
    }
  }

  /** What a log shows, and all that is written with the object. */
  private static String shown(Throwable e) {
    var text = new StringWriter();
    e.printStackTrace(new PrintWriter(text));
    var object = new ByteArrayOutputStream();
    try (var stream = new ObjectOutputStream(object)) {
      stream.writeObject(e);
    } catch (IOException notSerializable) {
      text.append(notSerializable.toString());
    }
    return text + object.toString(ISO_8859_1);
  }
}
