package example.automaticrostering;

import static example.automaticrostering.RosteringException.Code.INVALID_INPUT;
import static example.automaticrostering.RosteringException.Code.NETWORK_ERROR;
import static example.automaticrostering.RosteringException.Code.SERVICE_ERROR;
import static example.automaticrostering.RosteringException.Code.SERVICE_UNAUTHORIZED;
import static example.automaticrostering.RosteringException.Code.TOKEN_MISMATCH;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** What Java adds to the steps, which the scenarios and the driver's rules show. */
class RosteringTest extends SandboxTest {
  @Test
  void response() throws Exception {
    for (var response : List.of(client.listJobs(), client.listJobsAsync(new CallOptions()).get())) {
      assertEquals(200, response.status());
      assertEquals(Optional.of("application/json"), response.headers().firstValue("content-type"));
      assertArrayEquals(response.text().getBytes(UTF_8), response.body());
      assertEquals("sandbox-customer", response.json().get("customer_id").textValue());
    }
    assertRequests(1, 2);
  }

  @Test
  void inputs() throws Exception {
    sandbox.fault(Map.of("server", "jobs", "status", 204));
    client.listJobs(new CallOptions().customerId("c2"));
    client.listJobs(new CallOptions().customerId(null).userId(null));
    var input = new CallOptions().method("PUT").userId("u2").headers(Map.of("X", "y"));
    client.sendRequest("/a?b=%41", input);
    client.sendRequestAsync("/", new CallOptions()).get();
    var names = List.of("customer_id", "user_id", "x");
    assertEquals(
        List.of(
            "GET /jobs [c2, sandbox-user, null]",
            "GET /jobs [null, null, null]",
            "PUT /a?b=%41 [sandbox-customer, u2, y]",
            "GET / [sandbox-customer, sandbox-user, null]"),
        sandbox
            .jobRequests()
            .map(
                r ->
                    r.method()
                        + " "
                        + r.target()
                        + " "
                        + names.stream().map(r.headers()::get).toList())
            .toList());
  }

  @Test
  void bodiesAreSentAgain() throws Exception {
    client.getToken();
    var bytes = "ü".getBytes(UTF_8);
    for (var post :
        List.of(
            new CallOptions().body("ü"),
            new CallOptions().body(bytes),
            new CallOptions().body(BodyPublishers.ofByteArrays(List.of(bytes))))) {
      sandbox.fault(Map.of("server", "jobs", "status", 401, "requests", 1));
      // To the repeat, the sandbox itself answers: it takes no POST.
      assertCode(SERVICE_ERROR, () -> client.sendRequest("/jobs", post.method("POST")));
    }
    assertEquals(Collections.nCopies(6, "ü"), sandbox.jobRequests().map(r -> r.body()).toList());
  }

  @Test
  void bodyThatMayNotBeRepeatable() throws Exception {
    var text = BodyPublishers.ofString("ü");
    for (var body :
        List.of(BodyPublishers.fromPublisher(text), BodyPublishers.concat(text, text))) {
      client.clearToken();
      var refused = client.getToken();
      sandbox.fault(Map.of("server", "jobs", "status", 401, "requests", 1));
      var post = new CallOptions().method("POST").body(body);
      var e = assertCode(SERVICE_UNAUTHORIZED, () -> client.sendRequest("/jobs", post));
      assertTrue(e.retryable());
      assertNotEquals(refused, client.getToken(), "the next call has a new token");
    }
    assertRequests(4, 2);
  }

  @Test
  void tokens() throws Exception {
    var token = client.getToken();
    assertEquals("Bearer", token.tokenType());
    assertTrue(token.expiresAt().isAfter(Instant.now()));
    assertEquals(token, client.getTokenAsync(new CallOptions()).get());
    var forced = client.getToken(new CallOptions().force());
    assertNotEquals(token.accessToken(), forced.accessToken());
    assertEquals(forced, client.getToken(new CallOptions().refused(token.accessToken())));
    assertRequests(2, 0);
    client.getTokenAsync(new CallOptions().now(Instant.now().plus(Duration.ofHours(1)))).get();
    assertRequests(3, 0);
    client.clearToken();
    client.getToken();
    assertRequests(4, 0);
    client.setToken(Token.ofJson(token.toJson()));
    assertEquals(token, client.getToken());
    var strange = new Token("t", "Bearer", token.expiresAt(), "another key");
    assertCode(TOKEN_MISMATCH, () -> client.setToken(strange));
  }

  @Test
  void pluginAsPathStreamAndBytes() throws Exception {
    var path = Path.of("../../dist/rostering-nowasi.wasm");
    for (var options :
        List.of(
            new RosteringOptions().plugin(path),
            new RosteringOptions().plugin(Files.newInputStream(path)),
            new RosteringOptions().plugin(Files.readAllBytes(path)))) {
      try (var client = Rostering.open(sandbox.config(), options)) {
        assertEquals(200, client.listJobs().status());
      }
    }
  }

  @Test
  void errorOfAFuture() {
    var empty = client.listJobsAsync(new CallOptions().customerId(""));
    var e = assertThrows(ExecutionException.class, empty::get);
    var cause = assertInstanceOf(RosteringException.class, e.getCause());
    assertEquals(INVALID_INPUT, cause.code());
    assertEquals("customer_id", cause.details().key());
  }

  @Test
  void answerAboveTheLimit() throws Exception {
    var length = client.listJobs().body().length;
    try (var client = sandbox.open(new RosteringOptions().maxAnswerBytes(length))) {
      assertEquals(length, client.listJobs().body().length);
      sandbox.fault(Map.of("server", "jobs", "status", 201, "body", "x".repeat(length + 1)));
      var e = assertCode(NETWORK_ERROR, client::listJobs);
      assertTrue(e.getMessage().contains("longer than the limit"), e::getMessage);
    }
  }

  @Test
  void clientThatFollowsRedirectsIsRefused() {
    var follows = HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NORMAL).build();
    var options = new RosteringOptions();
    assertThrows(IllegalArgumentException.class, () -> options.httpClient(follows));
  }

  @Test
  void closed() throws Exception {
    client.close();
    client.close();
    assertThrows(IllegalStateException.class, client::listJobs);
    assertThrows(IllegalStateException.class, client::clearToken);
    assertThrows(ExecutionException.class, client.listJobsAsync(new CallOptions())::get);
    assertRequests(0, 0);
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
