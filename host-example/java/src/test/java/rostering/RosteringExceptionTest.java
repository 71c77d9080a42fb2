package rostering;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class RosteringExceptionTest extends ServiceTest {
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
    var e = assertCode("config_invalid", RosteringExceptionTest::wrongEnvironment);
    assertEquals(Optional.of("environment"), e.key());
    assertFalse(e.retryable());
    assertFalse(e.bodyTruncated());
    assertEquals(OptionalInt.empty(), e.status());
    assertEquals(Optional.empty(), e.oauthError());
    assertEquals(Optional.empty(), e.oauthErrorDescription());
    assertEquals(Optional.empty(), e.retryAfter());
    assertEquals(Optional.empty(), e.body());
  }

  private static void wrongEnvironment() throws InterruptedException {
    var config = RosteringConfig.builder().environment("test").build();
    RosteringClient.open(Service.WASM, config).getToken();
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
    var e = assertCode("token_endpoint_rejected", service.open()::listJobs);
    assertEquals(OptionalInt.of(401), e.status());
    assertEquals(Optional.of("invalid_client"), e.oauthError());
    assertEquals(Optional.of("unknown"), e.oauthErrorDescription());
    assertEquals(Optional.of(Duration.ofSeconds(1)), e.retryAfter());
  }

  @Test
  void serviceAnswer() throws Exception {
    var client = service.open();
    service.jobs = Service.answer(503, "busy ü");
    var e = assertCode("service_error", client::listJobs);
    assertTrue(e.retryable());
    assertEquals(OptionalInt.of(503), e.status());
    assertEquals(Optional.of("busy ü"), e.body());
    service.jobs = Service.answer(200, Service.JOBS);
    assertJobs(client);
  }

  @Test
  void buildWithoutClock() {
    var wasm = Path.of("../../dist/rostering-nowasi.wasm");
    var client = RosteringClient.open(wasm, service.config().build());
    assertCode("clock_unusable", client::getToken);
  }
}
