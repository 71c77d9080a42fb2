package rostering;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

/** A service for each test, and a client of it. */
@Timeout(value = 2 * Service.PATIENCE, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class ServiceTest {
  Service service;
  Rostering client;

  @BeforeEach
  void start() throws IOException {
    service = new Service();
    client = service.open(new RosteringOptions());
  }

  @AfterEach
  void stop() {
    service.close();
    client.close();
  }

  static RosteringException assertCode(RosteringException.Code code, Executable call) {
    var e = assertThrows(RosteringException.class, call);
    assertEquals(code, e.code(), e::getMessage);
    return e;
  }
}
