package example.automaticrostering;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** The plugin's lines in the JDK's own logging, which System.Logger writes to by default. */
class LogTest extends SandboxTest {
  private static final Logger LOGGER = Logger.getLogger("example.automaticrostering");

  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord line) {
          lines.add(line.getLevel() + " " + line.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @Test
  void pluginsLines() throws Exception {
    var level = LOGGER.getLevel();
    LOGGER.addHandler(handler);
    LOGGER.setLevel(Level.FINE);
    try {
      var token = client.getToken();
      client.clearToken();
      client.setToken(token);
      sandbox.revoke();
      client.listJobs();
      assertEquals(
          List.of(
              "FINE 200 POST /connect/token",
              "FINE 401 GET /jobs",
              "FINE 200 POST /connect/token",
              "WARNING the service refused the token; the request is repeated with another one"),
          lines.stream()
              .map(line -> line.replaceAll("HTTP (\\d+) to (\\w+) [^/]*(.*)", "$1 $2 $3"))
              .toList());
      var secrets = List.of(token.accessToken(), sandbox.env().get("ROSTERING_CLIENT_SECRET"));
      assertTrue(lines.stream().noneMatch(line -> secrets.stream().anyMatch(line::contains)));
    } finally {
      LOGGER.setLevel(level);
      LOGGER.removeHandler(handler);
    }
  }
}
