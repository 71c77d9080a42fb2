package rostering;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** An identity provider and a service in one, on a free port of the loopback interface. */
public final class Service implements AutoCloseable {
  /** Bounds every wait, in seconds. */
  public static final int PATIENCE = 30;

  static final String JOBS = "[{\"id\":1}]";

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();

  final List<String> tokenRequests = new CopyOnWriteArrayList<>();
  final List<String> requests = new CopyOnWriteArrayList<>();
  volatile HttpHandler token = this::newToken;
  volatile HttpHandler jobs = answer(200, JOBS);

  public Service() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  RosteringConfig config() {
    return new RosteringConfig()
        .environment(RosteringConfig.Environment.STAGE)
        .authUrl(url())
        .baseUrl(url())
        .clientId("client")
        .clientSecret("the-s3cr3t")
        .customerId("customer")
        .userId("user");
  }

  /** The interpreter opens faster than the compiler. */
  Rostering open(RosteringOptions options) {
    return Rostering.open(config(), options.interpreter());
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      var body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
      var uri = exchange.getRequestURI().toString();
      if (uri.equals("/connect/token")) {
        tokenRequests.add(body);
        token.handle(exchange);
        return;
      }
      var headers = exchange.getRequestHeaders();
      var of = headers.getFirst("Authorization") + " for " + headers.getFirst("CUSTOMER_ID");
      requests.add("%s %s %s: %s".formatted(exchange.getRequestMethod(), uri, of, body));
      jobs.handle(exchange);
    }
  }

  /** The first is token-1, and so on; only for the right secret. */
  private void newToken(HttpExchange exchange) throws IOException {
    var number = tokenRequests.size();
    if (!tokenRequests.get(number - 1).contains("client_secret=the-s3cr3t&")) {
      answer(401, "{\"error\":\"invalid_client\"}").handle(exchange);
      return;
    }
    var token = "{\"access_token\":\"the-token-%d\",\"expires_in\":3600,\"token_type\":\"Bearer\"}";
    answer(200, token.formatted(number)).handle(exchange);
  }

  static HttpHandler answer(int status, String body) {
    return exchange -> {
      var bytes = body.getBytes(UTF_8);
      exchange.getResponseHeaders().set("X-Answer", "yes");
      exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
      exchange.getResponseBody().write(bytes);
    };
  }

  /** Answers 401 to token-1. */
  static HttpHandler refuseFirstToken() {
    return exchange -> {
      var isFirst = exchange.getRequestHeaders().getFirst("Authorization").endsWith("the-token-1");
      answer(isFirst ? 401 : 200, "").handle(exchange);
    };
  }

  /** Holds requests back. */
  static final class Gate {
    private final CountDownLatch arrived = new CountDownLatch(1);
    private final CountDownLatch open = new CountDownLatch(1);

    HttpHandler before(HttpHandler handler) {
      return exchange -> {
        arrived.countDown();
        await(open);
        handler.handle(exchange);
      };
    }

    void awaitRequest() {
      await(arrived);
    }

    void open() {
      open.countDown();
    }

    private static void await(CountDownLatch latch) {
      try {
        if (!latch.await(PATIENCE, SECONDS)) {
          throw new AssertionError("waited in vain");
        }
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
