package demo;

import static java.util.concurrent.TimeUnit.SECONDS;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import example.automaticrostering.RosteringClient;
import example.automaticrostering.RosteringConfig;
import example.automaticrostering.RosteringException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A service that lists the jobs at /jobs, on the port PORT. SIGTERM lets its requests end. */
public final class Service {
  private static final int GRACE_SECONDS = 25; // less than what a container gets

  public static void main(String[] args) throws IOException {
    try {
      serve(RosteringClient.open(RosteringConfig.fromEnvironment()));
    } catch (RosteringException e) {
      System.err.println(e.getMessage());
      System.exit(1);
    }
  }

  private static void serve(RosteringClient client) throws IOException {
    var port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
    var server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1024);
    var threads = Executors.newFixedThreadPool(64); // Java 21: newVirtualThreadPerTaskExecutor()
    server.setExecutor(threads);
    server.createContext("/jobs", exchange -> respond(exchange, client));
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server, threads, client)));
    server.start();
    System.out.println("http://127.0.0.1:" + server.getAddress().getPort());
  }

  private static void stop(HttpServer server, ExecutorService threads, RosteringClient client) {
    new Thread(() -> server.stop(GRACE_SECONDS)).start(); // accepts no new requests
    threads.shutdown();
    try {
      threads.awaitTermination(GRACE_SECONDS, SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    client.close(Duration.ZERO);
    Runtime.getRuntime().halt(0); // else SIGTERM makes the exit status 143
  }

  private static void respond(HttpExchange exchange, RosteringClient client) throws IOException {
    try {
      send(exchange, 200, client.listJobs().body());
    } catch (RosteringException e) {
      System.err.println(e.getMessage());
      if (e.retryable()) {
        var seconds = e.retryAfter().orElse(Duration.ofSeconds(1)).toSeconds();
        exchange.getResponseHeaders().set("Retry-After", Long.toString(seconds));
      }
      send(exchange, e.retryable() ? 503 : 502, new byte[0]);
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private static void send(HttpExchange exchange, int status, byte[] json) throws IOException {
    try (exchange) {
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(status, json.length);
      exchange.getResponseBody().write(json);
    }
  }
}
