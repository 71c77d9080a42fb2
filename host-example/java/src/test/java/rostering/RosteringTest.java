package rostering;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static rostering.RosteringException.Code.CONFIG_INVALID;
import static rostering.RosteringException.Code.NETWORK_ERROR;
import static rostering.RosteringException.Code.TOKEN_MISMATCH;

import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** What Java adds to the steps, which the scenarios and the driver's rules show. */
class RosteringTest extends ServiceTest {
  @Test
  void response() throws Exception {
    for (var response : List.of(client.listJobs(), client.listJobsAsync(new CallOptions()).get())) {
      assertEquals(200, response.status());
      assertEquals(Optional.of("yes"), response.headers().firstValue("x-answer"));
      assertEquals(Service.JOBS, response.text());
      assertArrayEquals(Service.JOBS.getBytes(UTF_8), response.body());
      assertEquals(1, response.json().get(0).get("id").intValue());
    }
    assertEquals(1, service.tokenRequests.size());
  }

  @Test
  void inputs() throws Exception {
    client.listJobs(new CallOptions().customerId("c2"));
    client.listJobs(new CallOptions().customerId(null).userId(null));
    client.sendRequest("/a?b=%41", new CallOptions().userId("u2").headers(Map.of("X", "y")));
    assertEquals(
        List.of(
            "GET /jobs Bearer the-token-1 for c2: ",
            "GET /jobs Bearer the-token-1 for null: ",
            "GET /a?b=%41 Bearer the-token-1 for customer: "),
        service.requests);
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
      var number = service.tokenRequests.size();
      service.jobs =
          exchange -> {
            var isNew = service.tokenRequests.size() > number;
            Service.answer(isNew ? 201 : 401, "").handle(exchange);
          };
      assertEquals(201, client.sendRequestAsync("/", post.method("POST")).get().status());
    }
    assertEquals(6, service.requests.stream().filter(r -> r.endsWith(": ü")).count());
  }

  @Test
  void tokens() throws Exception {
    var token = client.getToken();
    assertEquals("the-token-1", token.accessToken());
    assertEquals("Bearer", token.tokenType());
    assertTrue(token.expiresAt().isAfter(Instant.now()));
    assertEquals(token, client.getTokenAsync(new CallOptions()).get());
    assertEquals("the-token-2", client.getToken(new CallOptions().force()).accessToken());
    assertEquals(
        "the-token-2", client.getToken(new CallOptions().refused("the-token-1")).accessToken());
    var later = new CallOptions().now(Instant.now().plus(Duration.ofHours(1)));
    assertEquals("the-token-3", client.getTokenAsync(later).get().accessToken());
    client.clearToken();
    assertEquals("the-token-4", client.getToken().accessToken());
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
      try (var client = Rostering.open(service.config(), options)) {
        assertEquals(Service.JOBS, client.listJobs().text());
      }
    }
  }

  @Test
  void configIsJudgedAtTheFirstCall() {
    var config = service.config().authUrl("ftp://127.0.0.1");
    try (var client = Rostering.open(config, new RosteringOptions().interpreter())) {
      var e = assertThrows(ExecutionException.class, client.listJobsAsync(new CallOptions())::get);
      var cause = assertInstanceOf(RosteringException.class, e.getCause());
      assertEquals(CONFIG_INVALID, cause.code());
      assertEquals("auth_url", cause.details().key());
    }
  }

  @Test
  void answerAboveTheLimit() throws Exception {
    var length = Service.JOBS.length();
    try (var client = service.open(new RosteringOptions().maxAnswerBytes(length))) {
      assertEquals(length, client.listJobs().body().length);
      service.jobs = Service.answer(201, Service.JOBS + " ");
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
  void closed() {
    client.close();
    client.close();
    assertThrows(IllegalStateException.class, client::listJobs);
    assertThrows(IllegalStateException.class, client::clearToken);
    assertThrows(ExecutionException.class, client.listJobsAsync(new CallOptions())::get);
    assertEquals(0, service.tokenRequests.size());
  }

  @Test
  void secretsDoNotShow() throws Exception {
    var shown = service.config() + " " + client.getToken();
    for (var secret : List.of("the-s3cr3t", "the-token-1")) {
      assertFalse(shown.contains(secret), shown);
    }
  }
}
