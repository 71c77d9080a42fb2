package example.automaticrostering;

import static example.automaticrostering.RosteringException.Code.CONFIG_MISSING;
import static example.automaticrostering.RosteringException.Code.TOKEN_ENDPOINT_UNAVAILABLE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests that another HTTP client sends with the token. */
class AuthorizeTest extends SandboxTest {
  private final HttpClient plain = HttpClient.newHttpClient();
  private final List<Map<String, List<String>>> strangersHeaders = new CopyOnWriteArrayList<>();
  private HttpServer stranger;
  private HttpClient http;

  @BeforeEach
  void authorize() throws IOException {
    http = client.authorize(plain);
    stranger = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    stranger.createContext(
        "/",
        exchange -> {
          strangersHeaders.add(Map.copyOf(exchange.getRequestHeaders()));
          exchange.sendResponseHeaders(401, -1);
          exchange.close();
        });
    stranger.start();
  }

  @AfterEach
  void stopStranger() {
    stranger.stop(0);
  }

  private HttpRequest.Builder request(String path) {
    return withIds(URI.create(sandbox.env().get("ROSTERING_BASE_URL") + path));
  }

  private static HttpRequest.Builder withIds(URI uri) {
    return HttpRequest.newBuilder(uri).headers("CUSTOMER_ID", "c2", "USER_ID", "u2");
  }

  private URI strangersUri() {
    return URI.create("http://127.0.0.1:" + stranger.getAddress().getPort() + "/");
  }

  private Stream<String> authorizations() throws Exception {
    return sandbox.jobRequests().map(r -> r.headers().get("authorization"));
  }

  /** A token that is no replacement, so that a 401 means that it was revoked. */
  private Token old() throws InterruptedException {
    var token = client.getToken();
    client.clearToken();
    client.setToken(token);
    return token;
  }

  @Test
  void tokenIsAddedAndNothingElse() throws Exception {
    var bearer = "Bearer " + client.getToken().accessToken();
    var shouted = sandbox.env().get("ROSTERING_BASE_URL").replace("http:", "HTTP:");
    assertEquals(200, http.send(request("/jobs").build(), BodyHandlers.ofString()).statusCode());
    http.send(withIds(URI.create(shouted)).build(), BodyHandlers.discarding());
    http.sendAsync(request("/jobs").build(), BodyHandlers.ofString()).get();
    assertEquals(List.of(bearer, bearer, bearer), authorizations().toList());
    assertTrue(sandbox.jobRequests().allMatch(r -> r.headers().get("customer_id").equals("c2")));
    assertEquals(1, sandbox.counts().tokenRequests());
  }

  @Test
  void revokedTokenIsReplaced() throws Exception {
    var bodies =
        List.of(
            BodyPublishers.noBody(),
            BodyPublishers.ofString("ü"),
            BodyPublishers.ofInputStream(() -> new ByteArrayInputStream("ü".getBytes(UTF_8))));
    for (BodyPublisher body : bodies) {
      var refused = old();
      sandbox.revoke();
      var seen = new CopyOnWriteArrayList<Integer>();
      var response =
          http.send(
              request("/jobs").method("GET", body).build(),
              info -> {
                seen.add(info.statusCode());
                return BodyHandlers.ofString().apply(info);
              });
      assertEquals(List.of(200), seen, "the handler sees one response");
      assertEquals(200, response.statusCode());
      assertTrue(response.body().contains("sandbox-job-1"), response::body);
      assertNotEquals(refused, client.getToken());
    }
    var sent = sandbox.jobRequests().map(Sandbox.Request::body).toList();
    assertEquals(List.of("", "", "ü", "ü", "ü", "ü"), sent);
  }

  @Test
  void revokedTokenIsReplacedForAFuture() throws Exception {
    old();
    sandbox.revoke();
    var response = http.sendAsync(request("/jobs").build(), BodyHandlers.ofString()).get();
    assertEquals(200, response.statusCode());
    assertRequests(2, 2);
  }

  @Test
  void requestIsRetriedOnce() throws Exception {
    old();
    sandbox.fault(Map.of("server", "jobs", "status", 401, "body", "no"));
    var response = http.send(request("/jobs").build(), BodyHandlers.ofString());
    assertEquals("401 no", response.statusCode() + " " + response.body());
    assertRequests(2, 2);
  }

  @Test
  void bodyThatMayNotBeRepeatable() throws Exception {
    var text = BodyPublishers.ofString("ü");
    for (var body :
        List.of(BodyPublishers.fromPublisher(text), BodyPublishers.concat(text, text))) {
      var refused = old();
      for (var refusal : List.of("no", "x".repeat(100_000))) {
        client.setToken(refused);
        sandbox.fault(Map.of("server", "jobs", "status", 401, "body", refusal, "requests", 1));
        var response = http.send(request("/jobs").POST(body).build(), BodyHandlers.ofString(UTF_8));
        assertEquals(401, response.statusCode());
        assertEquals(refusal, response.body());
        assertNotEquals(refused, client.getToken(), "the next request has a new token");
      }
    }
    assertEquals(4, sandbox.counts().jobRequests());
  }

  @Test
  void refusalWithoutABody() throws Exception {
    var body = BodyPublishers.fromPublisher(BodyPublishers.ofString("ü"));
    var config = sandbox.config("ROSTERING_BASE_URL", strangersUri().toString());
    try (var client = RosteringClient.builder(config).open()) {
      var request = HttpRequest.newBuilder(strangersUri()).POST(body).build();
      var response = client.authorize(plain).send(request, BodyHandlers.ofString());
      assertEquals("401 ", response.statusCode() + " " + response.body());
    }
  }

  @Test
  void tokenGoesNowhereElse() throws Exception {
    var location = Map.of("Location", strangersUri().toString());
    sandbox.fault(Map.of("server", "jobs", "status", 307, "headers", location));
    assertEquals(307, http.send(request("/jobs").build(), BodyHandlers.ofString()).statusCode());
    assertEquals(List.of(), strangersHeaders);
    http.send(HttpRequest.newBuilder(strangersUri()).build(), BodyHandlers.discarding());
    http.sendAsync(HttpRequest.newBuilder(strangersUri()).build(), BodyHandlers.discarding()).get();
    assertEquals(2, strangersHeaders.size());
    assertTrue(strangersHeaders.stream().noneMatch(h -> h.containsKey("Authorization")));
    assertRequests(1, 1);
  }

  @Test
  void clientThatFollowsRedirectsIsRefused() {
    for (var follows : List.of(Redirect.NORMAL, Redirect.ALWAYS)) {
      var http = HttpClient.newBuilder().followRedirects(follows).build();
      assertThrows(IllegalArgumentException.class, () -> client.authorize(http));
    }
  }

  @Test
  void ownAuthorizationIsUnchanged() throws Exception {
    var request = request("/jobs").header("authorization", "Basic abc").build();
    assertEquals(401, http.send(request, BodyHandlers.ofString()).statusCode());
    assertEquals(401, http.sendAsync(request, BodyHandlers.ofString()).get().statusCode());
    assertEquals(List.of("Basic abc", "Basic abc"), authorizations().toList());
    assertRequests(0, 2);
  }

  @Test
  void noTokenIsAnErrorOfTheLibrary() throws Exception {
    var request = request("/jobs").build();
    sandbox.fault(Map.of("server", "auth", "status", 503));
    assertCode(TOKEN_ENDPOINT_UNAVAILABLE, () -> http.send(request, BodyHandlers.ofString()));
    var future = http.sendAsync(request, BodyHandlers.ofString());
    var e = assertThrows(ExecutionException.class, future::get);
    assertInstanceOf(RosteringException.class, e.getCause());
    assertRequests(1, 0);
  }

  @Test
  void service401IsReturnedWithoutANewToken() throws Exception {
    var request = request("/jobs").build();
    for (var status : List.of(200, 503)) {
      for (var isAsync : List.of(false, true)) {
        client.clearToken(); // and the backoff
        old();
        sandbox.fault(Map.of("server", "auth", "status", status, "body", "{}"));
        sandbox.fault(Map.of("server", "jobs", "status", 401, "body", "no"));
        var response =
            isAsync
                ? http.sendAsync(request, BodyHandlers.ofString()).get()
                : http.send(request, BodyHandlers.ofString());
        assertEquals("401 no", response.statusCode() + " " + response.body());
        sandbox.clearFaults();
      }
    }
  }

  @Test
  void cancel() throws Exception {
    sandbox.fault(HOLD_JOBS);
    CompletableFuture<HttpResponse<String>> call =
        http.sendAsync(request("/jobs").build(), BodyHandlers.ofString());
    sandbox.await(new Sandbox.Counts(0, 1));
    assertTrue(call.cancel(true));
    assertThrows(CancellationException.class, call::join);
    sandbox.clearFaults();
    assertEquals(200, http.send(request("/jobs").build(), BodyHandlers.ofString()).statusCode());
  }

  @Test
  void baseUrlIsNeeded() {
    var config = sandbox.config("ROSTERING_BASE_URL", "");
    try (var client = RosteringClient.builder(config).open()) {
      var e = assertCode(CONFIG_MISSING, () -> client.authorize(plain));
      assertEquals(Optional.of("base_url"), e.key());
    }
  }
}
