package rostering;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class RosteringExceptionTest extends ServiceTest {
  private static RosteringException read(String text) {
    return assertInstanceOf(RosteringException.class, RosteringException.ofPlugin(text, null));
  }

  @Test
  void everyField() {
    var text =
        "{'code':'service_error','message':'m','retryable':true,'key':'k','status':503,"
            + "'oauth_error':'o','oauth_error_description':'d','retry_after':7,'body':'b',"
            + "'body_truncated':true}";
    var json = text.replace('\'', '"');
    var e = read(json);
    assertEquals(RosteringException.Code.SERVICE_ERROR, e.code());
    assertEquals("service_error: m", e.getMessage());
    assertTrue(e.retryable());
    assertEquals(Optional.of("k"), e.key());
    assertEquals(OptionalInt.of(503), e.status());
    assertEquals(Optional.of("o"), e.oauthError());
    assertEquals(Optional.of("d"), e.oauthErrorDescription());
    assertEquals(Optional.of(Duration.ofSeconds(7)), e.retryAfter());
    assertEquals(Optional.of("b"), e.body());
    assertTrue(e.bodyTruncated());
    assertEquals(json, e.toJson());
  }

  @Test
  void unknownCodeAndMissingFields() {
    var json = "{\"code\":\"new_code\",\"message\":\"m\",\"retryable\":false}";
    var e = read(json.replace("}", ",\"new_field\":1}"));
    assertEquals(RosteringException.Code.UNKNOWN, e.code());
    assertEquals("new_code", e.codeName());
    assertEquals(json, e.toJson());
    assertEquals(OptionalInt.empty(), e.status());
    assertEquals(Optional.empty(), e.retryAfter());
    assertFalse(e.bodyTruncated());
  }

  @Test
  void notAnErrorOfTheContract() {
    for (var text : List.of("", "[]", "{}", "not JSON")) {
      assertInstanceOf(IllegalStateException.class, RosteringException.ofPlugin(text, null));
    }
  }

  @Test
  void bodyOfTheServiceAndStackOfTheCaller() {
    service.jobs = Service.answer(503, "busy ü");
    var e = assertCode(RosteringException.Code.SERVICE_ERROR, client::listJobs);
    assertEquals(Optional.of("busy ü"), e.body());
    var frames = List.of(e.getStackTrace()).stream().map(StackTraceElement::getClassName);
    assertTrue(frames.anyMatch(getClass().getName()::equals));
  }

  @Test
  void reasonOfALostRequest() throws Exception {
    client.getToken();
    service.close();
    var e = assertCode(RosteringException.Code.NETWORK_ERROR, client::listJobs);
    assertTrue(e.getMessage().contains("ConnectException"), e::getMessage);
    assertInstanceOf(java.io.IOException.class, e.getCause());
  }
}
