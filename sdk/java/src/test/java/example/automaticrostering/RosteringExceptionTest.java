package example.automaticrostering;

import static example.automaticrostering.RosteringException.Code.CONFIG_MISSING;
import static example.automaticrostering.RosteringException.Code.INVALID_INPUT;
import static example.automaticrostering.RosteringException.Code.NETWORK_ERROR;
import static example.automaticrostering.RosteringException.Code.SERVICE_ERROR;
import static example.automaticrostering.RosteringException.Code.TOKEN_ENDPOINT_REJECTED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.net.ConnectException;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;

class RosteringExceptionTest extends SandboxTest {
  private static final String EVERY_FIELD =
      """
      {"code":"service_error","message":"set k","retryable":true,"key":"k","status":503,\
      "oauth_error":"o","oauth_error_description":"d","retry_after":7,"body":"b",\
      "body_truncated":true}""";

  private static RosteringException read(String json) {
    return assertInstanceOf(
        RosteringException.class, RosteringException.ofPlugin(json, null, null));
  }

  @Test
  void everyField() {
    var e = read(EVERY_FIELD);
    assertEquals(SERVICE_ERROR, e.code());
    assertTrue(e.retryable());
    assertEquals(Optional.of("k"), e.key());
    assertEquals(OptionalInt.of(503), e.status());
    assertEquals(Optional.of("o"), e.oauthError());
    assertEquals(Optional.of("d"), e.oauthErrorDescription());
    assertEquals(Optional.of(Duration.ofSeconds(7)), e.retryAfter());
    assertEquals(Optional.of("b"), e.body());
    assertEquals(Map.of(), e.headers().map());
  }

  @Test
  void errorJsonIsTheContracts() throws Exception {
    assertEquals(EVERY_FIELD, read(EVERY_FIELD).toJson());
    var unknown = "{\"code\":\"new_code\",\"message\":\"m\",\"retryable\":false,\"new_field\":1}";
    assertEquals(unknown, read(unknown).toJson());
    assertEquals(RosteringException.Code.UNKNOWN, read(unknown).code());

    var bytes = new ByteArrayOutputStream();
    new ObjectOutputStream(bytes).writeObject(read(EVERY_FIELD));
    var again = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
    assertEquals(EVERY_FIELD, ((RosteringException) again).toJson());
    assertEquals(Map.of(), ((RosteringException) again).headers().map());
  }

  @Test
  void errorTextHasTheStatusAndTheOauthError() throws Exception {
    assertEquals("service_error: set k (status 503, o: d)", read(EVERY_FIELD).getMessage());
    var description = Map.of("error", "invalid_scope", "error_description", "no such scope");
    var body = new String(Json.write(description));
    sandbox.fault(Map.of("server", "auth", "status", 400, "body", body));
    var e = assertCode(TOKEN_ENDPOINT_REJECTED, client::getToken);
    assertTrue(
        e.getMessage().endsWith(" (status 400, invalid_scope: no such scope)"), e::getMessage);
  }

  @Test
  void errorNamesAreTheCallers() {
    var config = sandbox.config("ROSTERING_AUTH_URL", "");
    var missing = assertCode(CONFIG_MISSING, () -> RosteringClient.open(config));
    assertEnd(" (authUrl, ROSTERING_AUTH_URL)", missing);
    assertEquals(Optional.of("auth_url"), missing.key());
    var nowhere = sandbox.config("ROSTERING_ENVIRONMENT", "");
    assertEnd(
        " (ROSTERING_ENVIRONMENT)",
        assertCode(CONFIG_MISSING, () -> RosteringClient.open(nowhere)));

    var empty = assertCode(INVALID_INPUT, client.forCustomer("")::listJobs);
    assertEnd(" (customerId)", empty);
    var noToken = new Token("", "Bearer", Instant.now(), "key");
    var e = assertCode(INVALID_INPUT, () -> client.setToken(noToken));
    assertEnd(" (accessToken)", e);
    assertEquals(Optional.of("access_token"), e.key());
    assertFalse(
        assertCode(INVALID_INPUT, () -> client.sendRequest(ServiceRequest.get("x")))
            .getMessage()
            .contains("(path"));
  }

  private static void assertEnd(String names, RosteringException e) {
    assertTrue(e.getMessage().endsWith(names), e::getMessage);
  }

  @Test
  void errorCauseIsNamedOnce() {
    var cause = new CertificateException("no path");
    var handshake = new SSLHandshakeException(cause.toString());
    handshake.initCause(new IllegalStateException("no path", cause));
    assertEquals(handshake.toString(), Http.reason(new CompletionException(handshake)));
    assertEquals(
        "java.net.ConnectException, caused by java.nio.channels.UnresolvedAddressException",
        Http.reason(new ConnectException().initCause(new UnresolvedAddressException())));
    assertEquals("timed out", Http.reason(new CompletionException(new TimeoutException())));
  }

  @Test
  void errorCauseIsKept() throws Exception {
    client.getToken();
    sandbox.close();
    var e = assertCode(NETWORK_ERROR, client::listJobs);
    assertInstanceOf(ConnectException.class, e.getCause());
    assertTrue(e.getMessage().contains("ConnectException"), e::getMessage);
  }

  @Test
  void errorCauseHasRetryAfter() throws Exception {
    var wait = Map.of("Retry-After", "7");
    sandbox.fault(Map.of("server", "auth", "status", 503, "headers", wait));
    assertCode(RosteringException.Code.TOKEN_ENDPOINT_UNAVAILABLE, client::getToken);
    var e = assertCode(RosteringException.Code.TOKEN_ENDPOINT_UNAVAILABLE, client::listJobs);
    assertFalse(e.retryAfter().orElseThrow().isZero());
    assertTrue(e.retryable());
  }

  @Test
  void notAnErrorOfTheContract() {
    for (var text : List.of("", "[]", "not JSON")) {
      assertInstanceOf(IllegalStateException.class, RosteringException.ofPlugin(text, null, null));
    }
  }

  @Test
  void not2xxHasTheResponseAndTheCallersStack() throws Exception {
    var location = Map.of("Location", "/elsewhere");
    sandbox.fault(Map.of("server", "jobs", "status", 503, "headers", location, "body", "busy ü"));
    var e = assertCode(SERVICE_ERROR, client::listJobs);
    assertEquals(OptionalInt.of(503), e.status());
    assertEquals(Optional.of("/elsewhere"), e.headers().firstValue("location"));
    assertEquals(Optional.of("busy ü"), e.body());
    var frames = List.of(e.getStackTrace()).stream().map(StackTraceElement::getClassName);
    assertTrue(frames.anyMatch(getClass().getName()::equals));
  }
}
