package example.automaticrostering;

import static org.junit.jupiter.api.Assertions.*;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** The fake that README.md shows. */
class FakeTest {
  @Test
  void fakeStandsInForAClient() throws Exception {
    try (RosteringClient client = new FakeClient(null)) {
      assertEquals("{\"jobs\":[]}", client.forCustomer("acme").listJobs().text());
      var e = assertThrows(RosteringException.class, client::listJobs);
      assertEquals("service_error: busy (status 503)", e.getMessage());
      assertThrows(UnsupportedOperationException.class, client::getToken);
    }
  }

  // snippet
  /** Lists the jobs of one customer, and is busy for all others. */
  record FakeClient(String customerId) implements RosteringClient {
    @Override
    public RosteringClient forCustomer(String id) {
      return new FakeClient(id);
    }

    @Override
    public Response listJobs() {
      if (!"acme".equals(customerId)) {
        throw new RosteringException(
            RosteringException.Code.SERVICE_ERROR, "busy", true, Map.of("status", 503));
      }
      return Response.of(200, "{\"jobs\":[]}");
    }
  }
  // end of snippet
}
