package demo;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import example.automaticrostering.Sandbox;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The service as a process. */
class ServiceTest {
  private static final int SIGTERM = 128 + 15;

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private Sandbox sandbox;
  private Process service;
  private URI jobs;

  @BeforeEach
  void start() throws IOException {
    sandbox = new Sandbox();
    var command =
        new ProcessBuilder(
                "java",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                "demo.Service")
            .redirectError(ProcessBuilder.Redirect.DISCARD);
    command.environment().putAll(sandbox.env());
    command.environment().put("PORT", "0");
    service = command.start();
    jobs = URI.create("http://127.0.0.1:" + service.inputReader(UTF_8).readLine() + "/jobs");
  }

  @AfterEach
  void stop() throws IOException, InterruptedException {
    service.destroyForcibly();
    sandbox.close();
  }

  private CompletableFuture<HttpResponse<String>> get() {
    return http.sendAsync(HttpRequest.newBuilder(jobs).build(), BodyHandlers.ofString());
  }

  @Test
  void requestsAtOnceShareOneToken() throws Exception {
    var answers = Stream.generate(this::get).limit(200).toList();
    for (var answer : answers) {
      assertEquals(200, answer.get().statusCode());
      assertTrue(answer.get().body().contains("sandbox-job-1"));
    }
    assertEquals(new Sandbox.Counts(1, 200), sandbox.counts());
  }

  @Test
  void errors() throws Exception {
    var wait = Map.of("Retry-After", "7");
    sandbox.fault(Map.of("server", "jobs", "status", 503, "headers", wait));
    var later = get().get();
    assertEquals(503, later.statusCode());
    assertEquals("7", later.headers().firstValue("Retry-After").orElse(""));
    assertEquals("", later.body());
    sandbox.fault(Map.of("server", "jobs", "status", 403));
    var never = get().get();
    assertEquals(502, never.statusCode());
    assertTrue(never.headers().firstValue("Retry-After").isEmpty());
  }

  @Test
  void sigtermLetsRequestsEnd() throws Exception {
    sandbox.fault(Map.of("server", "jobs", "hold", true));
    var begun = get();
    sandbox.await(new Sandbox.Counts(1, 1));
    service.destroy();
    while (isListening()) {
      Thread.sleep(10);
    }
    sandbox.clearFaults();
    assertEquals(200, begun.get().statusCode());
    assertEquals(SIGTERM, service.waitFor());
  }

  private boolean isListening() throws IOException {
    try (var socket = new Socket(jobs.getHost(), jobs.getPort())) {
      return socket.isConnected();
    } catch (ConnectException e) {
      return false;
    }
  }
}
