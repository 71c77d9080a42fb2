package adapter;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.*;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
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

/** See tests/adapters/README.md. With {@code -Dasync=true}, the calls return futures. */
public final class Adapter {
  private static final PrintStream LINES = new PrintStream(System.out, true, UTF_8);
  private static final StreamReadConstraints ANY_LENGTH =
      StreamReadConstraints.builder().maxStringLength(Integer.MAX_VALUE).build();
  static final JsonMapper JSON =
      new JsonMapper(JsonFactory.builder().streamReadConstraints(ANY_LENGTH).build());

  private record Opened(RosteringClient client, AtomicLong now) {}

  private final Map<String, Opened> clients = new HashMap<>();
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
    var client = clients.containsKey(r.path("client").textValue()) ? view(r) : null;
    switch (r.get("op").textValue()) {
      case "open" -> respond(r, open(r));
      case "store" -> {
        var store = stores.open(r.get("store"));
        thread(r, () -> Stores.use(store, r));
      }
      case "cancel" -> {
        cancels.getOrDefault(r.path("target").longValue(), () -> {}).run();
        respond(r, null);
      }
      case "own" -> {
        var request = ownRequest(r);
        var body = HttpResponse.BodyHandlers.ofByteArray();
        if (client == null) {
          thread(r, () -> Http.CLIENT.send(request, body));
        } else {
          send(r, () -> client.send(request, body), () -> client.sendAsync(request, body));
        }
      }
      case "list_jobs" -> {
        var view = client;
        for (var header : strings(r.path("headers")).entrySet()) {
          view = view.withHeader(header.getKey(), header.getValue());
        }
        call(r, view::listJobs, view::listJobsAsync);
      }
      case "send_request" -> {
        var request = request(r);
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
        var token = Token.ofJson(r.get("token").textValue());
        thread(r, Executors.callable(() -> client.setToken(token)));
      }
      case "clear_token" -> thread(r, Executors.callable(client::clearToken));
      case "set_secret" -> {
        var secret = r.get("secret").textValue();
        thread(r, Executors.callable(() -> client.setSecret(secret)));
      }
      case "status" -> thread(r, () -> Map.of("body", client.status().toJson()));
      case "close" -> {
        var limit = r.has("timeout") ? seconds(r.get("timeout")) : null;
        Runnable close = limit == null ? client::close : () -> client.close(limit);
        thread(r, Executors.callable(close));
      }
      default -> throw new UnsupportedOperationException("no operation " + r.get("op"));
    }
  }

  /** Makes a call, perhaps with retries. */
  private <T> void call(JsonNode r, Retry.Call<T> blocking, Supplier<CompletableFuture<T>> async) {
    if (!r.has("retry")) {
      send(r, blocking::call, async);
      return;
    }
    var deadline = seconds(r.get("retry").get("deadline"));
    var codes = r.get("retry").path("codes").toString().toUpperCase();
    thread(
        r,
        () ->
            codes.isEmpty()
                ? Retry.call(deadline, blocking)
                : Retry.call(deadline, blocking, e -> codes.contains(e.code().name())));
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
            : config(r.path("config"));
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
          if (r.has("log")) {
            throw new AssertionError("the log is full");
          }
          var shown = level == Level.WARNING ? "warn" : "debug";
          write(Map.of("event", "log", "client", name, "level", shown, "line", line));
        });
    clients.put(name, new Opened(builder.open(), now));
    return Map.of();
  }

  private static RosteringConfig config(JsonNode c) {
    var builder =
        RosteringConfig.builder()
            .authUrl(c.path("auth_url").asText())
            .baseUrl(c.path("base_url").asText())
            .clientId(c.path("client_id").asText())
            .clientSecret(c.path("client_secret").asText())
            .customerId(c.path("customer_id").asText())
            .userId(c.path("user_id").asText())
            .scope(c.path("scope").asText())
            .allowHttp(c.path("allow_http").asBoolean());
    if (c.has("environment")) {
      builder.environment(Environment.valueOf(c.get("environment").textValue().toUpperCase()));
    }
    if (c.has("refresh_margin")) {
      builder.refreshMargin(Duration.ofSeconds(c.get("refresh_margin").asLong()));
    }
    return builder.build();
  }

  /** The view that a request is for. */
  private RosteringClient view(JsonNode r) {
    var opened = clients.get(r.get("client").textValue());
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

  private static ServiceRequest request(JsonNode r) {
    var request = ServiceRequest.builder(r.path("path").textValue());
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
    return request.build();
  }

  private static HttpRequest ownRequest(JsonNode r) {
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
    var body = BodyPublishers.ofString(r.get("body").textValue(), ISO_8859_1);
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
    if (result instanceof Throwable e) {
      failed(response, e instanceof CompletionException ? e.getCause() : e);
    } else if (result instanceof Map<?, ?> fields) {
      fields.forEach((name, value) -> response.put((String) name, value));
    } else if (result instanceof Token token) {
      response.put("body", token.toJson());
    } else if (result instanceof Response http) {
      http(response, http);
    } else if (result instanceof HttpResponse<?> http) { // of own
      http(response, new Response(http.statusCode(), http.headers(), (byte[]) http.body()));
    }
    cancels.remove(r.get("id").longValue());
    write(response);
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
      response.put("error", error.toJson());
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
