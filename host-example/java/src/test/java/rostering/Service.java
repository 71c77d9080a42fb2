package rostering;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** An identity provider and a service in one, on a free port of the loopback interface. */
public final class Service implements AutoCloseable {
  /** Bounds every wait. It is no measure of how long things take. */
  static final Duration PATIENCE = Duration.ofSeconds(20);

  static final Path WASM = Path.of("../../dist/rostering.wasm");
  static final String JOBS = "[{\"id\":1}]";

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final CountDownLatch closing = new CountDownLatch(1);

  final List<String> tokenForms = new CopyOnWriteArrayList<>();
  final List<List<String>> jobHeaders = new CopyOnWriteArrayList<>();
  final List<String> otherRequests = new CopyOnWriteArrayList<>();
  volatile HttpHandler token = goodToken();
  volatile HttpHandler jobs = answer(200, JOBS);

  public Service() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/connect/token", this::handleToken);
    server.createContext("/jobs", this::handleJobs);
    server.createContext("/other", this::handleOther);
    server.start();
  }

  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  RosteringConfig.Builder config() {
    return RosteringConfig.builder()
        .environment("stage")
        .authUrl(url())
        .baseUrl(url())
        .clientId("client")
        .clientSecret("s3cr3t")
        .customerId("customer")
        .userId("user")
        .timeout(PATIENCE);
  }

  private void handleToken(HttpExchange exchange) throws IOException {
    try (exchange) {
      var form = exchange.getRequestBody().readAllBytes();
      tokenForms.add(new String(form, StandardCharsets.UTF_8));
      token.handle(exchange);
    }
  }

  private void handleJobs(HttpExchange exchange) throws IOException {
    try (exchange) {
      var headers = exchange.getRequestHeaders();
      jobHeaders.add(
          List.of(
              headers.getOrDefault("Authorization", List.of()).toString(),
              headers.getOrDefault("CUSTOMER_ID", List.of()).toString(),
              headers.getOrDefault("USER_ID", List.of()).toString()));
      jobs.handle(exchange);
    }
  }

  /** Answers with what it was sent. */
  private void handleOther(HttpExchange exchange) throws IOException {
    try (exchange) {
      var body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      var headers = exchange.getRequestHeaders();
      otherRequests.add(
          String.join(
              " ",
              exchange.getRequestMethod(),
              exchange.getRequestURI().toString(),
              headers.getOrDefault("Content-Type", List.of()).toString(),
              headers.getOrDefault("CUSTOMER_ID", List.of()).toString(),
              body));
      answer(200, body).handle(exchange);
    }
  }

  /** Gives tokens out, not the same twice, to who knows the secret. */
  final HttpHandler goodToken() {
    var text = "{\"access_token\":\"token-%d\",\"expires_in\":3600,\"token_type\":\"Bearer\"}";
    return exchange -> {
      var isKnown = tokenForms.get(tokenForms.size() - 1).contains("client_secret=s3cr3t&");
      var known = answer(200, text.formatted(tokenForms.size()));
      (isKnown ? known : answer(401, "{\"error\":\"invalid_client\"}")).handle(exchange);
    };
  }

  static HttpHandler answer(int status, String body) {
    return exchange -> {
      var bytes = body.getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
      exchange.getResponseBody().write(bytes);
    };
  }

  static HttpHandler unavailable(int retryAfter) {
    return exchange -> {
      exchange.getResponseHeaders().set("Retry-After", Integer.toString(retryAfter));
      answer(503, "").handle(exchange);
    };
  }

  static HttpHandler redirect(String location) {
    return exchange -> {
      exchange.getResponseHeaders().set("Location", location);
      answer(307, "").handle(exchange);
    };
  }

  /** Closes the connection in place of an answer. */
  static HttpHandler drop() {
    return exchange -> {};
  }

  /** Answers once as many requests as that are waiting. */
  static HttpHandler together(int requests, HttpHandler answer) {
    var barrier = new CyclicBarrier(requests);
    return exchange -> {
      try {
        barrier.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
        throw new IOException(e); // which closes the connection
      }
      answer.handle(exchange);
    };
  }

  /** Answers nothing until the service is closed. */
  HttpHandler block(CountDownLatch arrived) {
    return exchange -> {
      arrived.countDown();
      try {
        closing.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    };
  }

  @Override
  public void close() {
    closing.countDown();
    server.stop(0);
    threads.shutdownNow();
  }
}
