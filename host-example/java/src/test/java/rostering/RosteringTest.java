package rostering;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Calls that succeed. */
class RosteringTest extends FormTest {
  @Test
  void firstCallAndCachedCall() throws Exception {
    var client = open();
    assertJobs(client);
    assertJobs(client);
    assertEquals(1, service.tokenForms.size());
    assertEquals(2, service.jobHeaders.size());
  }

  @Test
  void requestsAreThoseOfTheConfig() throws Exception {
    var client = open();
    client.listJobs();
    client.listJobs(JobsInput.ofConfig().withCustomerId("c2"));
    client.listJobs(JobsInput.ofConfig().withUserId("u2"));
    client.listJobs(JobsInput.ofConfig().withoutCustomerId().withoutUserId());
    assertEquals(
        List.of(
            "grant_type=client_credentials&client_id=client&client_secret=s3cr3t"
                + "&scope=automatic-rostering-stage"),
        service.tokenForms);
    assertEquals(
        List.of(
            List.of("[Bearer token-1]", "[customer]", "[user]"),
            List.of("[Bearer token-1]", "[c2]", "[user]"),
            List.of("[Bearer token-1]", "[customer]", "[u2]"),
            List.of("[Bearer token-1]", "[]", "[]")),
        service.jobHeaders);
  }

  @Test
  void token() throws Exception {
    var client = open();
    var token = client.getToken();
    assertEquals("token-1", token.accessToken());
    assertEquals("Bearer", token.tokenType());
    assertTrue(token.expiresAt().isAfter(Instant.now()), token::toString);
    assertEquals(token, client.getToken());
    assertNotEquals(token.accessToken(), client.renewToken().accessToken());
  }

  @Test
  void threadsShareOneToken() throws Exception {
    var client = open();
    var calls = new ArrayList<Callable<byte[]>>();
    for (var i = 0; i < 20; i++) {
      calls.add(client::listJobs);
    }
    var threads = Executors.newFixedThreadPool(calls.size());
    try {
      var patience = Service.PATIENCE.toSeconds();
      for (var call : threads.invokeAll(calls, patience, TimeUnit.SECONDS)) {
        assertEquals(Service.JOBS.length(), call.get().length);
      }
    } finally {
      threads.shutdownNow();
    }
    assertEquals(1, service.tokenForms.size());
  }

  @Test
  void otherRequests() throws Exception {
    var client = open();
    var post =
        ServiceRequest.of("POST", "/other/1?a=b")
            .withHeader("Content-Type", "text/plain")
            .withBody("ü")
            .withCustomerId("c2");
    assertEquals("ü", new String(client.sendRequest(post), StandardCharsets.UTF_8));
    assertEquals(0, client.sendRequest(ServiceRequest.get("/other").withoutCustomerId()).length);
    assertEquals(0, client.sendRequest(ServiceRequest.of("DELETE", "/other/2")).length);
    assertEquals(
        List.of(
            "POST /other/1?a=b [text/plain] [c2] ü",
            "GET /other [] [] ",
            "DELETE /other/2 [] [customer] "),
        service.otherRequests);
    assertEquals(1, service.tokenForms.size());
  }

  /** Each character that a path may hold; java.net.URI refuses some. */
  @Test
  void pathIsSentAsItIs() throws Exception {
    open().sendRequest(ServiceRequest.get("/other/{[|]}?q={\"<>\\^`|}[]%41%zz%"));
    assertEquals(
        List.of(
            "GET /other/%7B%5B%7C%5D%7D?q=%7B%22%3C%3E%5C%5E%60%7C%7D[]%41%25zz%25 [] [customer] "),
        service.otherRequests);
  }

  @Test
  void pathThatLeadsAwayIsRefused() {
    var request = ServiceRequest.get("//evil.example/");
    var e = assertCode("invalid_input", () -> open().sendRequest(request));
    assertEquals(Optional.of("path"), e.key());
    assertEquals(0, service.tokenForms.size());
  }

  @Test
  void tokenOfAnotherClient() throws Exception {
    for (var giver : Form.values()) {
      var token = giver.open(service.config().build()).getToken();
      var asked = service.tokenForms.size();
      var client = open();
      client.setToken(Token.ofJson(token.toJson()));
      client.setToken(token);
      assertJobs(client);
      assertEquals(token, client.getToken());
      assertEquals(asked, service.tokenForms.size());
    }
  }

  @Test
  void tokenThatDoesNotFit() throws Exception {
    var token = open().getToken();
    var stranger = form.open(service.config().clientId("other").build());
    var e = assertCode("token_mismatch", () -> stranger.setToken(token));
    assertEquals(-1, e.getMessage().indexOf(token.accessToken()));
    var expired =
        new Token(token.accessToken(), "Bearer", Instant.now().minusSeconds(1), token.cacheKey());
    assertCode("token_mismatch", () -> open().setToken(expired));
  }

  @Test
  void clearedToken() throws Exception {
    var client = open();
    client.getToken();
    client.clearToken();
    assertEquals("token-2", client.getToken().accessToken());
  }

  @Test
  void closed() throws Exception {
    var client = open();
    client.close();
    assertThrows(IllegalStateException.class, client::listJobs);
    assertThrows(IllegalStateException.class, client::clearToken);
    assertEquals(0, service.tokenForms.size());
  }

  @Test
  void secretsDoNotShow() throws Exception {
    var config = service.config();
    var request = ServiceRequest.of("PUT", "/other").withHeader("X-Key", "k3y").withBody("b0dy");
    var shown = config + " " + config.build() + " " + open().getToken() + " " + request;
    for (var secret : List.of("s3cr3t", "token-1", "k3y", "b0dy")) {
      assertEquals(-1, shown.indexOf(secret), shown);
    }
    assertEquals(4, shown.split("\\[redacted]").length, shown);
  }
}
