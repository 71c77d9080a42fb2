package example.automaticrostering;

import static example.automaticrostering.RosteringException.Code.*;
import static org.junit.jupiter.api.Assertions.*;

import java.net.*;
import java.net.http.HttpClient;
import java.util.*;
import org.junit.jupiter.api.Test;

/** What Java's types add to the calls, which the suite shows. */
class RequestsTest extends ServersTest {
  /** The JDK encodes a lone surrogate as a question mark. */
  @Test
  void loneSurrogates() {
    for (var id : List.of("a\ud800", "\udc00b")) {
      var e = assertCode(INVALID_INPUT, client.forCustomer(id)::listJobs);
      assertEquals(Optional.of("customer_id"), e.key());
    }
    var builder = new ServiceRequest("/");
    assertThrows(IllegalArgumentException.class, () -> builder.query("a", "\ud800"));
    assertThrows(IllegalArgumentException.class, () -> builder.json("\"\ud800\""));
    var secret = assertCode(CONFIG_INVALID, () -> client.setSecret("s3cr3t\ud800"));
    assertTrue(secret.getMessage().endsWith("(clientSecret, ROSTERING_CLIENT_SECRET)"));
  }

  @Test
  void tokenAsJson() throws Exception {
    var token = client.getToken();
    assertEquals(token, Token.ofJson(token.toJson()));
    var tooLate = token.toJson().replaceFirst("_at\":\\d+", "_at\":9e18");
    for (var wrong : List.of("the-s3cr3t", "{\"s3cr3t\":".repeat(100_000), tooLate)) {
      var e = assertThrows(IllegalArgumentException.class, () -> Token.ofJson(wrong));
      assertEquals("not a token object: pass what toJson() returned", e.getMessage());
    }
    var shown = config() + " " + token;
    assertFalse(shown.contains("the-secret") || shown.contains("token-1"), shown);
  }

  @Test
  void proxyThatRefuses() throws Exception {
    var token = client.getToken();
    for (var status :
        List.of("403 s3cr3t", "407 s3cr3t\r\nProxy-Authenticate: Basic realm=s3cr3t")) {
      var response = "HTTP/1.1 " + status + "\r\nContent-Length: 0\r\n\r\n";
      try (var proxy = server((socket, text) -> write(socket, response))) {
        var at = new InetSocketAddress(proxy.getInetAddress(), proxy.getLocalPort());
        var http = HttpClient.newBuilder().proxy(ProxySelector.of(at)).build();
        var noService = config().baseUrl("https://jobs.example");
        var noTokens = config().authUrl("https://idp.example");
        try (var sends = RosteringClient.builder(noService).httpClient(http).open();
            var asks = RosteringClient.builder(noTokens).httpClient(http).open()) {
          sends.setToken(token);
          for (var caller : List.of(sends, asks)) {
            var e = assertThrows(RosteringException.class, caller::listJobs);
            assertEquals(Optional.of(RosteringException.Reason.PROXY), e.reason());
            assertFalse(e.toString().contains("s3cr3t"), e::toString);
          }
        }
      }
    }
  }
}
