package rostering;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.function.Executable;

/** What the tests of the client share: a service for each test. */
abstract class ServiceTest {
  Service service;

  @BeforeEach
  void startService() throws IOException {
    service = new Service();
  }

  @AfterEach
  void stopService() {
    service.close();
  }

  static void assertJobs(Rostering client) throws InterruptedException {
    assertEquals(Service.JOBS, new String(client.listJobs(), StandardCharsets.UTF_8));
  }

  static RosteringException assertCode(String code, Executable call) {
    var e = assertThrows(RosteringException.class, call);
    assertEquals(code, e.code(), e::getMessage);
    return e;
  }
}
