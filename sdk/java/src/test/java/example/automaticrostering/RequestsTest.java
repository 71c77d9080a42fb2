package example.automaticrostering;

import static example.automaticrostering.RosteringException.Code.*;
import static org.junit.jupiter.api.Assertions.*;

import java.lang.reflect.*;
import java.net.http.HttpResponse;
import java.util.*;
import org.junit.jupiter.api.Test;

/** What Java's types add to the calls, which the suite shows. */
class RequestsTest extends ServersTest {
  @Test
  void longTokenIsRefused() {
    var refused = TokenOptions.refused("t".repeat(5 << 20));
    assertCode(INVALID_INPUT, () -> client.getToken(refused));
  }

  /** The JDK encodes a lone surrogate as a question mark. */
  @Test
  void loneSurrogates() {
    for (var id : List.of("a\ud800", "\udc00b")) {
      var e = assertCode(INVALID_INPUT, client.forCustomer(id)::listJobs);
      assertEquals(Optional.of("customer_id"), e.key());
    }
    var builder = ServiceRequest.builder("/");
    assertThrows(IllegalArgumentException.class, () -> builder.query("a", "\ud800"));
    assertThrows(IllegalArgumentException.class, () -> builder.json("\"\ud800\""));
    var secret = assertCode(CONFIG_INVALID, () -> client.setSecret("s3cr3t\ud800"));
    assertTrue(secret.getMessage().endsWith("(clientSecret, ROSTERING_CLIENT_SECRET)"));
  }

  @Test
  void tokenAsJson() throws Exception {
    var token = client.getToken();
    assertEquals(token, Token.ofJson(token.toJson()));
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
