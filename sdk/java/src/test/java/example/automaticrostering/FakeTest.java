package example.automaticrostering;

import static org.junit.jupiter.api.Assertions.*;

import example.automaticrostering.RosteringException.Code;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The fake that README.md shows. */
class FakeTest {
  @Test
  void fakeStandsInForAClient() throws Exception {
    try (RosteringClient client = new FakeClient()) {
      assertEquals("{\"jobs\":[]}", client.listJobs().text());
      assertThrows(UnsupportedOperationException.class, client::getToken);
    }
    var busy = new RosteringException(Code.SERVICE_ERROR, "busy", true, Map.of("status", 503));
    assertEquals("service_error: busy (status 503)", busy.getMessage());
  }

  // snippet
  static class FakeClient extends RosteringClient {
    @Override
    public Response sendRequest(ServiceRequest request) {
      return Response.of(200, "{\"jobs\":[]}");
    }
  }
  // end of snippet
}
