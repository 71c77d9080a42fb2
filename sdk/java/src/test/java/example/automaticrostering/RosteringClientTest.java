package example.automaticrostering;

import static example.automaticrostering.RosteringException.Code.INVALID_INPUT;
import static example.automaticrostering.RosteringException.Code.NETWORK_ERROR;
import static example.automaticrostering.RosteringException.Code.SERVICE_ERROR;
import static example.automaticrostering.RosteringException.Code.SERVICE_UNAUTHORIZED;
import static example.automaticrostering.RosteringException.Code.TOKEN_ENDPOINT_REJECTED;
import static example.automaticrostering.RosteringException.Code.TOKEN_MISMATCH;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.ServerSocket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** What Java adds to the steps, which the scenarios and the driver's rules show. */
class RosteringClientTest extends SandboxTest {
  @Test
  void response() throws Exception {
    for (var response : List.of(client.listJobs(), client.listJobsAsync().get())) {
      assertEquals(200, response.status());
      assertEquals(Optional.of("application/json"), response.headers().firstValue("content-type"));
      assertArrayEquals(response.text().getBytes(UTF_8), response.body());
      assertTrue(response.text().contains("\"customer_id\":\"sandbox-customer\""));
    }
    assertRequests(1, 2);
  }

  /** The values of a header in the requests to the service. */
  private List<String> sent(String header) throws Exception {
    return sandbox.jobRequests().map(r -> r.headers().get(header)).toList();
  }

  @Test
  void customerViewSendsItsIds() throws Exception {
    sandbox.fault(Map.of("server", "jobs", "status", 204));
    var view = client.forCustomer("c2");
    view.listJobs();
    view.forUser("u2").sendRequestAsync(ServiceRequest.get("/jobs")).get();
    view.forUser("u2").forCustomer(null).forUser(null).listJobs();
    client.listJobs();
    assertEquals(Arrays.asList("c2", "c2", null, "sandbox-customer"), sent("customer_id"));
    assertEquals(Arrays.asList("sandbox-user", "u2", null, "sandbox-user"), sent("user_id"));
    assertRequests(1, 4);
  }

  @Test
  void customerViewWithoutAnIdIsRefused() throws Exception {
    for (var id : List.of("", "a\ud800", "\udc00b")) {
      var e = assertCode(INVALID_INPUT, client.forCustomer(id)::listJobs);
      assertEquals(Optional.of("customer_id"), e.key());
      var future = client.forUser(id).listJobsAsync();
      var cause = assertThrows(ExecutionException.class, future::get).getCause();
      assertEquals(Optional.of("user_id"), ((RosteringException) cause).key());
    }
    assertRequests(0, 0);
  }

  @Test
  void requests() throws Exception {
    sandbox.fault(Map.of("server", "jobs", "status", 204));
    client.sendRequest(ServiceRequest.builder("/a").method("PUT").header("X", "y").build());
    client.sendRequest(ServiceRequest.get("/"));
    assertEquals(
        List.of("PUT /a", "GET /"),
        sandbox.jobRequests().map(r -> r.method() + " " + r.target()).toList());
    assertEquals(Arrays.asList("y", null), sent("x"));
  }

  @Test
  void jsonBody() throws Exception {
    sandbox.fault(Map.of("server", "jobs", "status", 204));
    var post = ServiceRequest.builder("/jobs").method("POST").json("{\"name\":\"ü\"}");
    client.sendRequest(post.build());
    client.sendRequest(post.header("content-type", "application/merge-patch+json").build());
    assertEquals(
        Collections.nCopies(2, "{\"name\":\"ü\"}"),
        sandbox.jobRequests().map(Sandbox.Request::body).toList());
    assertEquals(List.of("application/json", "application/merge-patch+json"), sent("content-type"));
    assertThrows(IllegalArgumentException.class, () -> post.json("\"\ud800\""));
  }

  @Test
  void queryParametersAreEncoded() throws Exception {
    sandbox.fault(Map.of("server", "jobs", "status", 204));
    client.sendRequest(
        ServiceRequest.builder("/jobs?b=%41").query("from&", "1 2").query("ü", "=/*~").build());
    assertEquals(
        List.of("/jobs?b=%41&from%26=1+2&%C3%BC=%3D%2F*%7E"),
        sandbox.jobRequests().map(Sandbox.Request::target).toList());
    var builder = ServiceRequest.builder("/");
    assertThrows(IllegalArgumentException.class, () -> builder.query("a", "\ud800"));
  }

  @Test
  void userAgent() throws Exception {
    client.listJobs();
    client.sendRequest(ServiceRequest.builder("/jobs").header("user-agent", "mine").build());
    var own = "automatic-rostering/" + RosteringClient.VERSION + " (java)";
    assertEquals(List.of(own, "mine"), sent("user-agent"));
    var token = sandbox.requests().filter(r -> r.server().equals("auth")).findFirst().get();
    assertEquals(own, token.headers().get("user-agent"));
  }

  @Test
  void bodiesAreSentAgain() throws Exception {
    client.getToken();
    var bytes = "ü".getBytes(UTF_8);
    for (var post :
        List.of(
            ServiceRequest.builder("/jobs").body("ü"),
            ServiceRequest.builder("/jobs").body(bytes),
            ServiceRequest.builder("/jobs").body(BodyPublishers.ofByteArrays(List.of(bytes))),
            ServiceRequest.builder("/jobs")
                .body(BodyPublishers.ofString("ü"), BodyPublishers.noBody()))) {
      sandbox.fault(Map.of("server", "jobs", "status", 401, "requests", 1));
      // To the second, the sandbox itself responds: it takes no POST.
      assertCode(SERVICE_ERROR, () -> client.sendRequest(post.method("POST").build()));
    }
    assertEquals(
        Collections.nCopies(8, "ü"), sandbox.jobRequests().map(Sandbox.Request::body).toList());
  }

  @Test
  void bodyThatMayNotBeRepeatable() throws Exception {
    var text = BodyPublishers.ofString("ü");
    var published = BodyPublishers.fromPublisher(text);
    for (var request :
        List.of(
            ServiceRequest.builder("/").body(published),
            ServiceRequest.builder("/").body(text, published),
            ServiceRequest.builder("/").body(BodyPublishers.concat(text, text)))) {
      client.clearToken();
      var refused = client.getToken();
      sandbox.fault(Map.of("server", "jobs", "status", 401, "requests", 1));
      var post = request.method("POST").build();
      var e = assertCode(SERVICE_UNAUTHORIZED, () -> client.sendRequest(post));
      assertTrue(e.retryable());
      assertNotEquals(refused, client.getToken(), "the next call has a new token");
    }
    assertRequests(6, 3);
  }

  @Test
  void tokens() throws Exception {
    var token = client.getToken();
    assertEquals("Bearer", token.tokenType());
    assertTrue(token.expiresAt().isAfter(Instant.now()));
    assertEquals(token, client.getTokenAsync(TokenOptions.cached()).get());
    var forced = client.getToken(TokenOptions.force());
    assertNotEquals(token.accessToken(), forced.accessToken());
    assertEquals(forced, client.getToken(TokenOptions.refused(token.accessToken())));
    assertRequests(2, 0);
    client.clearToken();
    client.getToken();
    assertRequests(3, 0);
    client.setToken(Token.ofJson(token.toJson()));
    assertEquals(token, client.getToken());
    var strange = new Token("t", "Bearer", token.expiresAt(), "another key");
    assertCode(TOKEN_MISMATCH, () -> client.setToken(strange));
  }

  @Test
  void errorOfAFuture() {
    var future = client.sendRequestAsync(ServiceRequest.get("no-slash"));
    var e = assertThrows(ExecutionException.class, future::get);
    var cause = assertInstanceOf(RosteringException.class, e.getCause());
    assertEquals(INVALID_INPUT, cause.code());
    assertEquals(Optional.of("path"), cause.key());
  }

  @Test
  void maxBodyIsNamed() throws Exception {
    var length = client.listJobs().body().length;
    try (var client = sandbox.client().maxBody(length).open()) {
      assertEquals(length, client.listJobs().body().length);
      sandbox.fault(Map.of("server", "jobs", "status", 201, "body", "x".repeat(length + 1)));
      for (var i = 0; i < 2; i++) { // the second is a warm one
        var e = assertCode(NETWORK_ERROR, client::listJobs);
        assertFalse(e.retryable());
        assertTrue(e.getMessage().contains("maxBody (" + length + " bytes)"), e::getMessage);
      }
      sandbox.clearFaults();
      assertEquals(length, client.listJobs().body().length);
    }
  }

  @Test
  void notModifiedIsAResponse() throws Exception {
    var etag = Map.of("ETag", "\"7\"");
    sandbox.fault(Map.of("server", "jobs", "status", 304, "headers", etag));
    var request = ServiceRequest.builder("/jobs").header("If-None-Match", "\"7\"").build();
    for (var i = 0; i < 2; i++) { // with a new token, and with an old one
      var response = client.sendRequest(request);
      assertEquals(304, response.status());
      assertEquals(Optional.of("\"7\""), response.headers().firstValue("etag"));
      assertEquals("", response.text());
    }
  }

  @Test
  void loopbackProxyIsNotUsed() throws Exception {
    try (var proxy = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      System.setProperty("http.proxyHost", "127.0.0.1");
      System.setProperty("http.proxyPort", "" + proxy.getLocalPort());
      assertEquals(200, client.listJobs().status());
    } finally {
      System.clearProperty("http.proxyHost");
      System.clearProperty("http.proxyPort");
    }
  }

  /** The JDK's response has no body then. */
  @Test
  void proxyThatRefusesToConnect() throws Exception {
    try (var proxy = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      var refusals = CompletableFuture.runAsync(() -> refuse(proxy));
      var http =
          HttpClient.newBuilder()
              .proxy(ProxySelector.of((InetSocketAddress) proxy.getLocalSocketAddress()))
              .build();
      var config = sandbox.config("ROSTERING_AUTH_URL", "https://auth.example.com");
      try (var client = RosteringClient.builder(config).httpClient(http).open()) {
        var e = assertCode(TOKEN_ENDPOINT_REJECTED, client::listJobs);
        assertEquals(OptionalInt.of(407), e.status());
      }
      refusals.get();
    }
  }

  private static void refuse(ServerSocket proxy) {
    try (var connection = proxy.accept()) {
      var refusal =
          "HTTP/1.1 407 Password\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n";
      connection.getOutputStream().write(refusal.getBytes(UTF_8));
      connection.getInputStream().readAllBytes(); // until the client closes
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void secretsDoNotShow() throws Exception {
    var token = client.getToken();
    var shown = sandbox.config() + " " + token;
    for (var secret : List.of(sandbox.env().get("ROSTERING_CLIENT_SECRET"), token.accessToken())) {
      assertFalse(shown.contains(secret), shown);
    }
  }
}
