package example.automaticrostering;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.function.Executable;

/** A sandbox for each test, and a client of it. */
abstract class SandboxTest {
  static final Map<String, ?> HOLD_JOBS = Map.of("server", "jobs", "hold", true);

  Sandbox sandbox;
  RosteringClient client;

  @BeforeEach
  void start() throws IOException {
    sandbox = new Sandbox();
    client = sandbox.client().open();
  }

  @AfterEach
  void stop() throws IOException, InterruptedException {
    sandbox.close();
    client.close();
  }

  static RosteringException assertCode(RosteringException.Code code, Executable call) {
    var e = assertThrows(RosteringException.class, call);
    assertEquals(code, e.code(), e::getMessage);
    return e;
  }

  void assertRequests(int token, int jobs) throws IOException, InterruptedException {
    assertEquals(new Sandbox.Counts(token, jobs), sandbox.counts());
  }
}
