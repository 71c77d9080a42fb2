package example.automaticrostering;

import static example.automaticrostering.RosteringException.Code.*;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.*;

import java.io.*;
import java.net.ConnectException;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertificateException;
import java.time.*;
import java.util.*;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;

class RosteringExceptionTest extends ServersTest {
  private static final String EVERY_FIELD =
      """
      {"code":"service_error","message":"set k","retryable":true,"key":"k","status":503,\
      "oauth_error":"o","oauth_error_description":"d","retry_after":7,\
      "body":"b",\
      "body_truncated":true}""";

  private static RosteringException read(String json) {
    return RosteringException.ofPlugin(json.getBytes(UTF_8), null);
  }

  @Test
  void everyField() throws Exception {
    var bytes = new ByteArrayOutputStream();
    var headers = ",\"headers\":{\"X\":[\"a\",\"b\"],\"x\":\"c\"}}";
    new ObjectOutputStream(bytes).writeObject(read(EVERY_FIELD.replaceFirst("}$", headers)));
    var stream = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()));
    var e = (RosteringException) stream.readObject();
    assertEquals(EVERY_FIELD, e.toJson());
    assertEquals("service_error: set k (status 503, o: d)", e.getMessage());
    assertEquals(SERVICE_ERROR, e.code());
    assertTrue(e.retryable());
    assertEquals(Optional.of("k"), e.key());
    assertEquals(OptionalInt.of(503), e.status());
    assertEquals(Optional.of("o"), e.oauthError());
    assertEquals(Optional.of("d"), e.oauthErrorDescription());
    assertEquals(Optional.of(Duration.ofSeconds(7)), e.retryAfter());
    assertEquals(Optional.of("b"), e.body());
    assertEquals(List.of("a", "b", "c"), e.headers().allValues("x"));
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
    var config =
        RosteringClient.builder(config().environment(null).authUrl("").clientId("").build());
    assertEnd(
        " (ROSTERING_ENVIRONMENT, authUrl, ROSTERING_AUTH_URL, clientId, ROSTERING_CLIENT_ID)",
        assertCode(CONFIG_MISSING, config::open));
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
