package example.automaticrostering;

import static example.automaticrostering.RosteringException.Code.*;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.*;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.*;
import java.net.ConnectException;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertificateException;
import java.time.*;
import java.util.*;
import java.util.logging.*;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;

class RosteringExceptionTest extends ServersTest {
  private static final String EVERY_FIELD =
      """
      {"code":"service_error","message":"set k","retryable":true,"key":"k","status":503,\
      "oauth_error":"o","oauth_error_description":"d","retry_after":7,\
      "request":{"method":"GET","path":"/jobs"},"reason":"tls"}""";
  private static final String CONTENT =
      ",\"body\":\"canary\",\"body_truncated\":true,"
          + "\"headers\":{\"Set-Cookie\":[\"canary\",\"b\"]}}";

  private static RosteringException read(String json) {
    return RosteringException.ofPlugin(json.getBytes(UTF_8), null);
  }

  @Test
  void everyField() throws Exception {
    var bytes = new ByteArrayOutputStream();
    var full = EVERY_FIELD.replaceFirst("}$", CONTENT);
    new ObjectOutputStream(bytes).writeObject(read(full));
    var stream = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()));
    var e = (RosteringException) stream.readObject();
    var json = e.toJson();
    assertEquals(new ObjectMapper().readTree(EVERY_FIELD), new ObjectMapper().readTree(json));
    assertEquals(new ObjectMapper().readTree(full), new ObjectMapper().readTree(e.full()));
    assertEquals("service_error: set k (status 503, o: d)", e.getMessage());
    assertEquals(SERVICE_ERROR, e.code());
    assertTrue(e.retryable());
    assertEquals(Optional.of("k"), e.key());
    assertEquals(OptionalInt.of(503), e.status());
    assertEquals(Optional.of("o"), e.oauthError());
    assertEquals(Optional.of("d"), e.oauthErrorDescription());
    assertEquals(Optional.of(Duration.ofSeconds(7)), e.retryAfter());
    assertEquals(Optional.of("canary"), e.body());
    assertEquals(List.of("canary", "b"), e.headers().allValues("set-cookie"));
    var request = new RosteringException.FailedRequest("GET", "/jobs");
    assertEquals(Optional.of(request), e.request());
    assertEquals(Optional.of(RosteringException.Reason.TLS), e.reason());
  }

  /** A body may have personal data, and a cookie is one's identity. */
  @Test
  void logsShowNoContentOfResponses() throws Exception {
    var e = read(EVERY_FIELD.replaceFirst("}$", CONTENT));
    var shown = new StringWriter();
    e.printStackTrace(new PrintWriter(shown));
    var lines = new ByteArrayOutputStream();
    var handler = new StreamHandler(lines, new XMLFormatter());
    var entry = new LogRecord(Level.WARNING, "it failed: {0}");
    entry.setThrown(e);
    entry.setParameters(new Object[] {e});
    handler.publish(entry);
    handler.flush();
    new ObjectMapper().writeValue(lines, e); // as loggers that write JSON
    shown.append(e.toString()).append(e.toJson()).append(lines.toString(UTF_8));
    assertFalse(shown.toString().contains("canary"), shown::toString);
    assertTrue(e.full().contains("canary"));
  }

  @Test
  void whatThisVersionDoesNotKnow() {
    var unknown = "{\"code\":\"new_code\",\"message\":\"m\",\"retryable\":false,\"new_field\":1}";
    assertEquals(unknown, read(unknown).toJson());
    assertEquals(UNKNOWN, read(unknown).code());
    for (var text : new String[] {"", "[]", "not JSON"}) {
      assertCode(PLUGIN_FAILED, () -> read(text));
    }
  }

  @Test
  void errorNamesAreTheCallers() {
    var config = RosteringClient.builder(config().environment(null).authUrl("").clientId(""));
    var missing = assertCode(CONFIG_MISSING, config::open);
    assertEnd(
        " (ROSTERING_ENVIRONMENT, authUrl, ROSTERING_AUTH_URL, clientId, ROSTERING_CLIENT_ID)",
        missing);
    var keys = missing.problems().stream().map(RosteringException.Problem::key).toList();
    assertEquals(List.of("environment", "auth_url", "client_id"), keys);
    assertEnd(" (customerId)", assertCode(INVALID_INPUT, client.forCustomer("")::listJobs));
    var noToken = new Token("", "Bearer", Instant.now(), "key");
    assertEnd(" (accessToken)", assertCode(INVALID_INPUT, () -> client.setToken(noToken)));
  }

  private static void assertEnd(String names, RosteringException e) {
    assertTrue(e.getMessage().endsWith(names), e::getMessage);
  }

  @Test
  void errorCauseIsNamedOnce() {
    var cause = new CertificateException("no path");
    var handshake = new SSLHandshakeException(cause.toString());
    handshake.initCause(new IllegalStateException("no path", cause));
    assertEquals(handshake.toString(), Http.reason(handshake, Throwable::toString));
    assertEquals(
        "java.net.ConnectException, caused by java.nio.channels.UnresolvedAddressException",
        Http.reason(
            new ConnectException().initCause(new UnresolvedAddressException()),
            Throwable::toString));
  }
}
