package example.automaticrostering;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RosteringExceptionTest extends SandboxTest {
  private static RosteringException read(String text) {
    return assertInstanceOf(RosteringException.class, RosteringException.ofPlugin(text));
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
    var details =
        new RosteringException.Details(
            "service_error", "m", true, "k", 503, "o", "d", 7L, "b", true);
    assertEquals(details, e.details());
    assertEquals(json, e.toJson());
  }

  @Test
  void unknownCodeAndMissingFields() {
    var json = "{\"code\":\"new_code\",\"message\":\"m\",\"retryable\":false}";
    var e = read(json.replace("}", ",\"new_field\":1}"));
    assertEquals(RosteringException.Code.UNKNOWN, e.code());
    assertEquals("new_code", e.details().code());
    assertEquals(json, e.toJson());
    assertNull(e.details().status());
  }

  @Test
  void notAnErrorOfTheContract() {
    for (var text : List.of("", "[]", "not JSON")) {
      assertInstanceOf(IllegalStateException.class, RosteringException.ofPlugin(text));
    }
  }

  @Test
  void bodyOfTheServiceAndStackOfTheCaller() throws Exception {
    sandbox.fault(Map.of("server", "jobs", "status", 503, "body", "busy ü"));
    var e = assertCode(RosteringException.Code.SERVICE_ERROR, client::listJobs);
    assertEquals("busy ü", e.details().body());
    var frames = List.of(e.getStackTrace()).stream().map(StackTraceElement::getClassName);
    assertTrue(frames.anyMatch(getClass().getName()::equals));
  }

  @Test
  void reasonOfALostRequest() throws Exception {
    client.getToken();
    sandbox.close();
    var e = assertCode(RosteringException.Code.NETWORK_ERROR, client::listJobs);
    assertTrue(e.getMessage().contains("ConnectException"), e::getMessage);
  }
}
