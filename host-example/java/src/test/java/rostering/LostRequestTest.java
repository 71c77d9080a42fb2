package rostering;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Requests that get no answer, and redirects, which are not followed. */
class LostRequestTest extends FormTest {
  @Test
  void networkErrorThenSuccess() throws Exception {
    var client = open();
    service.jobs = Service.drop();
    var e = assertCode("network_error", client::listJobs);
    assertTrue(e.retryable());
    assertTrue(e.getMessage().contains("IOException"), e::getMessage);
    service.jobs = Service.answer(200, Service.JOBS);
    assertJobs(client);
    assertEquals(1, service.tokenForms.size());
  }

  @Test
  void nobodyListens() throws Exception {
    var url = "http://127.0.0.1:" + closedPort();
    var client = form.open(service.config().authUrl(url).baseUrl(url).build());
    var e = assertCode("network_error", client::listJobs);
    assertTrue(e.getMessage().contains("ConnectException"), e::getMessage);
    // The plugin counts it as a failed token request, and waits.
    assertTrue(assertCode("network_error", client::listJobs).retryAfter().isPresent());
  }

  private static int closedPort() throws IOException {
    try (var socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  @Test
  void timeout() throws Exception {
    service.jobs = service.block(new CountDownLatch(1));
    var config = service.config().timeout(Duration.ofSeconds(2)).build();
    var client = form.open(config);
    client.getToken();
    var e = assertCode("network_error", client::listJobs);
    assertTrue(e.getMessage().contains("TimeoutException"), e::getMessage);
    service.jobs = Service.answer(200, Service.JOBS);
    assertJobs(client);
  }

  @Test
  void interrupt() throws Exception {
    var client = open();
    var arrived = new CountDownLatch(1);
    service.jobs = service.block(arrived);
    var end = new CompletableFuture<Throwable>();
    var thread = new Thread(() -> end.complete(assertThrows(Exception.class, client::listJobs)));
    thread.start();
    assertTrue(arrived.await(Service.PATIENCE.toSeconds(), TimeUnit.SECONDS));
    thread.interrupt();
    assertInstanceOf(
        InterruptedException.class, end.get(Service.PATIENCE.toSeconds(), TimeUnit.SECONDS));
    service.jobs = Service.answer(200, Service.JOBS);
    assertJobs(client);
    assertEquals(1, service.tokenForms.size());
  }

  @Test
  void lostTokenRequest() {
    service.token = Service.drop();
    var client = open();
    var e = assertCode("network_error", client::getToken);
    assertEquals(-1, e.getMessage().indexOf("s3cr3t"));
    assertEquals(1, service.tokenForms.size());
  }

  @Test
  void headerThatTheJdkRefuses() {
    var request = ServiceRequest.get("/other").withHeader("Expect", "100-continue");
    var e = assertCode("network_error", () -> open().sendRequest(request));
    assertTrue(e.getMessage().contains("Expect"), e::getMessage);
    assertEquals(List.of(), service.otherRequests);
  }

  @Test
  void redirectIsNotFollowed() throws Exception {
    try (var other = new Service()) {
      service.token = Service.redirect(other.url() + "/connect/token");
      var e = assertCode("token_endpoint_rejected", open()::listJobs);
      assertEquals(OptionalInt.of(307), e.status());
      assertEquals(0, other.tokenForms.size());
    }
  }

  @Test
  void redirectOfTheServiceIsNotFollowed() throws Exception {
    try (var other = new Service()) {
      service.jobs = Service.redirect(other.url() + "/jobs");
      var e = assertCode("service_error", open()::listJobs);
      assertEquals(OptionalInt.of(307), e.status());
      assertEquals(List.of(), other.jobHeaders);
    }
  }

  @Test
  void clientThatFollowsRedirectsIsRefused() {
    var config = service.config().build();
    var client = HttpClient.newBuilder().followRedirects(Redirect.NORMAL).build();
    assertThrows(
        IllegalArgumentException.class, () -> RosteringClient.open(Service.WASM, config, client));
    assertThrows(
        IllegalArgumentException.class, () -> RosteringDriver.open(Service.WASM, config, client));
  }
}
