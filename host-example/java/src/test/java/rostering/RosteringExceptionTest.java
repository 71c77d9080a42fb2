package rostering;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class RosteringExceptionTest extends FormTest {
  @Test
  void everyField() {
    var text =
        """
        {"code":"service_error","message":"m","retryable":true,"key":"k","status":503,
         "oauth_error":"o","oauth_error_description":"d","retry_after":7,"body":"b",
         "body_truncated":true,"later":1}""";
    var e =
        assertInstanceOf(
            RosteringException.class, RosteringException.ofPlugin(text, new RuntimeException()));
    assertEquals(RosteringException.SERVICE_ERROR, e.code());
    assertEquals("service_error: m", e.getMessage());
    assertTrue(e.retryable());
    assertEquals(Optional.of("k"), e.key());
    assertEquals(OptionalInt.of(503), e.status());
    assertEquals(Optional.of("o"), e.oauthError());
    assertEquals(Optional.of("d"), e.oauthErrorDescription());
    assertEquals(Optional.of(Duration.ofSeconds(7)), e.retryAfter());
    assertEquals(Optional.of("b"), e.body());
    assertTrue(e.bodyTruncated());
  }

  @Test
  void whatIsNotKnownIsEmpty() {
    var config = RosteringConfig.builder().environment("test").build();
    var e = assertCode("config_invalid", form.open(config)::getToken);
    assertEquals(Optional.of("environment"), e.key());
    assertFalse(e.retryable());
    assertFalse(e.bodyTruncated());
    assertEquals(OptionalInt.empty(), e.status());
    assertEquals(Optional.empty(), e.oauthError());
    assertEquals(Optional.empty(), e.oauthErrorDescription());
    assertEquals(Optional.empty(), e.retryAfter());
    assertEquals(Optional.empty(), e.body());
  }

  @Test
  void noErrorOfTheContract() {
    for (var text : new String[] {"", "[]", "{}", "no JSON"}) {
      assertInstanceOf(
          IllegalStateException.class, RosteringException.ofPlugin(text, new RuntimeException()));
    }
  }

  @Test
  void tokenEndpoint() {
    service.token =
        Service.answer(401, "{\"error\":\"invalid_client\",\"error_description\":\"unknown\"}");
    var e = assertCode("token_endpoint_rejected", open()::listJobs);
    assertEquals(OptionalInt.of(401), e.status());
    assertEquals(Optional.of("invalid_client"), e.oauthError());
    assertEquals(Optional.of("unknown"), e.oauthErrorDescription());
    assertEquals(Optional.of(Duration.ofSeconds(1)), e.retryAfter());
  }

  @Test
  void serviceAnswer() throws Exception {
    var client = open();
    service.jobs = Service.answer(503, "busy ü");
    var e = assertCode("service_error", client::listJobs);
    assertTrue(e.retryable());
    assertEquals(OptionalInt.of(503), e.status());
    // The driver keeps the answer from the plugin, whose error then lacks it.
    assertEquals(form == Form.CLIENT ? Optional.of("busy ü") : Optional.empty(), e.body());
    service.jobs = Service.answer(200, Service.JOBS);
    assertJobs(client);
  }

  @Test
  void tokenEndpointsAnswerIsNotShown() {
    service.token = Service.answer(400, "s3cr3t");
    var e = assertCode("token_endpoint_rejected", open()::listJobs);
    assertEquals(Optional.empty(), e.body());
  }
}
