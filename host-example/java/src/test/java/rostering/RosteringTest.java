package rostering;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static rostering.RosteringException.Code.CONFIG_INVALID;
import static rostering.RosteringException.Code.NETWORK_ERROR;
import static rostering.RosteringException.Code.SERVICE_UNAUTHORIZED;
import static rostering.RosteringException.Code.TOKEN_MISMATCH;

import java.io.ByteArrayInputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** What Java adds to the steps, which the scenarios and the driver's rules show. */
class RosteringTest extends ServiceTest {
  @Test
  void response() throws Exception {
    for (var response : List.of(client.listJobs(), client.listJobsAsync().get())) {
      assertEquals(200, response.status());
      assertEquals(Optional.of("yes"), response.headers().firstValue("x-answer"));
      assertEquals(Service.JOBS, response.text());
      assertArrayEquals(Service.JOBS.getBytes(), response.body());
      assertEquals(1, response.json().get(0).get("id").intValue());
    }
    assertEquals(1, service.tokenRequests.size());
  }

  @Test
  void inputs() throws Exception {
    client.listJobs(JobsInput.ofConfig().withCustomerId("c2"));
    client.listJobs(JobsInput.ofConfig().withCustomerId(null).withUserId(null));
    client.sendRequest(ServiceRequest.get("/a?b=%41").withUserId("u2").withHeader("X", "y"));
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
    var post = ServiceRequest.of("POST", "/");
    for (var request :
        List.of(
            post.withBody("ü"),
            post.withBody("ü".getBytes("UTF-8")),
            post.withBody(BodyPublishers.ofByteArrays(List.of("ü".getBytes("UTF-8")))))) {
      var number = service.tokenRequests.size();
      service.jobs =
          exchange -> {
            var isNew = service.tokenRequests.size() > number;
            Service.answer(isNew ? 201 : 401, "").handle(exchange);
          };
      assertEquals(201, client.sendRequestAsync(request).get().status());
    }
    assertEquals(6, service.requests.stream().filter(r -> r.endsWith(": ü")).count());
  }

  @Test
  void bodyThatCannotBeSentAgain() throws Exception {
    client.getToken();
    service.jobs = Service.refuseFirstToken();
    var streams = List.of(new ByteArrayInputStream(new byte[3])).iterator();
    var once =
        ServiceRequest.of("PUT", "/")
            .withBody(BodyPublishers.ofInputStream(() -> nextOrNull(streams)));
    var e = assertCode(SERVICE_UNAUTHORIZED, () -> client.sendRequest(once));
    assertEquals(401, e.status().getAsInt());
    assertEquals(1, service.requests.size());
  }

  private static <T> T nextOrNull(Iterator<T> iterator) {
    return iterator.hasNext() ? iterator.next() : null;
  }

  @Test
  void tokens() throws Exception {
    var token = client.getToken();
    assertEquals("the-token-1", token.accessToken());
    assertEquals("Bearer", token.tokenType());
    assertTrue(token.expiresAt().isAfter(Instant.now()));
    assertEquals(token, client.getTokenAsync().get());
    assertEquals("the-token-2", client.getToken(TokenInput.force()).accessToken());
    assertEquals("the-token-2", client.getToken(TokenInput.refused("the-token-1")).accessToken());
    var later = TokenInput.cached().withNow(Instant.now().plus(Duration.ofHours(1)));
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
            new RosteringOptions().plugin(Files.readAllBytes(path)).interpreter(false))) {
      try (var client = Rostering.open(service.config().build(), options)) {
        assertEquals(Service.JOBS, client.listJobs().text());
      }
    }
  }

  @Test
  void configIsJudgedAtTheFirstCall() {
    var config = service.config().authUrl("ftp://127.0.0.1").build();
    try (var client = Rostering.open(config, new RosteringOptions().interpreter(true))) {
      var e = assertThrows(ExecutionException.class, client.listJobsAsync()::get);
      var cause = assertInstanceOf(RosteringException.class, e.getCause());
      assertEquals(CONFIG_INVALID, cause.code());
      assertEquals(Optional.of("auth_url"), cause.key());
    }
  }

  @Test
  void answerAboveTheLimit() throws Exception {
    var length = Service.JOBS.length();
    try (var client = service.open(new RosteringOptions().maxAnswerBytes(length))) {
      assertEquals(length, client.listJobs().body().length);
      service.jobs = Service.answer(201, Service.JOBS + " ");
      var e = assertCode(NETWORK_ERROR, client::listJobs);
      assertTrue(e.getMessage().contains("more than 10 bytes"), e::getMessage);
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
    assertThrows(ExecutionException.class, client.listJobsAsync()::get);
    assertEquals(0, service.tokenRequests.size());
  }

  @Test
  void secretsDoNotShow() throws Exception {
    var request = ServiceRequest.of("PUT", "/").withHeader("X-Key", "k3y").withBody("b0dy");
    var builder = service.config();
    var shown = builder + " " + builder.build() + " " + client.getToken() + " " + request;
    for (var secret : List.of("the-s3cr3t", "the-token-1", "k3y", "b0dy")) {
      assertFalse(shown.contains(secret), shown);
    }
  }
}
