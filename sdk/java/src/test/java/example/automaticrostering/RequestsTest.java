package example.automaticrostering;

import static example.automaticrostering.RosteringException.Code.*;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.*;

import java.lang.reflect.*;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.*;
import org.junit.jupiter.api.Test;

/** What Java's types add to the calls, which the suite shows. */
class RequestsTest extends ServersTest {
  @Test
  void bodiesAreSentAgain() throws Exception {
    var bytes = "ü".getBytes(UTF_8);
    for (var post :
        List.of(
            ServiceRequest.builder("/jobs").body("ü"),
            ServiceRequest.builder("/jobs").body(bytes),
            ServiceRequest.builder("/jobs").body(BodyPublishers.ofByteArrays(List.of(bytes))),
            ServiceRequest.builder("/jobs")
                .body(BodyPublishers.ofString("ü"), BodyPublishers.noBody()))) {
      requests.clear();
      refused("no");
      client.sendRequest(post.method("POST").build());
      assertTrue(requests.stream().allMatch(request -> request.endsWith(" ü")), requests::toString);
      assertEquals(2, requests.size());
    }
  }

  @Test
  void bodyThatMayNotBeRepeatable() throws Exception {
    var text = BodyPublishers.ofString("ü");
    for (var post :
        List.of(
            ServiceRequest.builder("/").body(text, BodyPublishers.fromPublisher(text)),
            ServiceRequest.builder("/").body(BodyPublishers.concat(text, text)))) {
      refused("no");
      var request = post.method("POST").build();
      assertTrue(assertCode(SERVICE_UNAUTHORIZED, () -> client.sendRequest(request)).retryable());
    }
    assertEquals(2, requests.size());
  }

  /** Encoders replace a lone surrogate by a question mark. */
  @Test
  void loneSurrogates() {
    for (var id : List.of("a\ud800", "\udc00b")) {
      var e = assertCode(INVALID_INPUT, client.forCustomer(id)::listJobs);
      assertEquals(Optional.of("customer_id"), e.key());
    }
    var builder = ServiceRequest.builder("/");
    assertThrows(IllegalArgumentException.class, () -> builder.query("a", "\ud800"));
    assertThrows(IllegalArgumentException.class, () -> builder.json("\"\ud800\""));
  }

  @Test
  void tokenOfAnotherClient() throws Exception {
    var token = client.getToken();
    assertEquals(token, Token.ofJson(token.toJson()));
    try (var other = builder().open()) {
      other.setToken(Token.ofJson(token.toJson()));
      assertEquals(token, other.getToken());
    }
    var e = assertThrows(IllegalArgumentException.class, () -> Token.ofJson("the-s3cr3t"));
    assertFalse(e.toString().contains("the-s3cr3t"));
    var shown = config().build() + " " + token;
    assertFalse(shown.contains("the-secret") || shown.contains("token-1"), shown);
  }

  /** So is that of a proxy that refuses to connect. */
  @Test
  @SuppressWarnings("unchecked")
  void responseWithoutABody() {
    InvocationHandler values =
        (response, method, arguments) ->
            Map.of("statusCode", 407, "headers", Response.NO_HEADERS).get(method.getName());
    var types = new Class<?>[] {HttpResponse.class};
    var http = Proxy.newProxyInstance(getClass().getClassLoader(), types, values);
    assertEquals("", Response.of((HttpResponse<byte[]>) http).text());
  }
}
