package example.automaticrostering;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class LogTest extends SandboxTest {
  @Test
  void pluginsLinesAndNoOthers() throws Exception {
    try (var log = new Log();
        var client = sandbox.client().open()) {
      var token = client.getToken();
      client.clearToken();
      client.setToken(token);
      sandbox.revoke();
      client.listJobs();
      assertEquals(
          List.of("FINE", "FINE", "FINE", "WARNING"),
          log.lines.stream().map(line -> line.split(" ")[0]).toList(),
          log.lines::toString);
      var secrets = List.of(token.accessToken(), sandbox.env().get("ROSTERING_CLIENT_SECRET"));
      assertTrue(log.lines.stream().noneMatch(line -> secrets.stream().anyMatch(line::contains)));
    }
  }
}
