package demo;

import static java.util.concurrent.TimeUnit.SECONDS;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import example.automaticrostering.Rostering;
import example.automaticrostering.RosteringConfig;
import example.automaticrostering.RosteringException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;

/** A service that lists the jobs at /jobs, on the port PORT. SIGTERM lets its requests end. */
public final class Service {
  public static void main(String[] args) throws IOException {
    var client = Rostering.open(RosteringConfig.fromEnvironment());
    var threads = Threads.forRequests();
    var port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
    var server = HttpServer.create(new InetSocketAddress(port), 1024);
    server.setExecutor(threads);
    server.createContext("/jobs", exchange -> answer(exchange, client));
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server, threads, client)));
    server.start();
    System.out.println(server.getAddress().getPort());
  }

  private static void stop(HttpServer server, ExecutorService threads, Rostering client) {
    new Thread(() -> server.stop(35)).start(); // takes no new requests
    threads.shutdown();
    try (client) {
      threads.awaitTermination(35, SECONDS); // a call takes 30 at most
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void answer(HttpExchange exchange, Rostering client) throws IOException {
    try {
      send(exchange, 200, client.listJobs().body());
    } catch (RosteringException e) {
      System.err.println(e.getMessage());
      if (e.retryable()) {
        var seconds = e.details().retryAfter();
        exchange.getResponseHeaders().set("Retry-After", "" + (seconds == null ? 1 : seconds));
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
