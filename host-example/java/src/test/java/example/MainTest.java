package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertLinesMatch;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import rostering.Service;

class MainTest {
  private final ByteArrayOutputStream output = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(output, true, StandardCharsets.UTF_8);

  @Test
  void showsTokenJobsAndAnError() throws Exception {
    try (var service = new Service()) {
      Main.run(variables(service.url()), out);
    }
    assertLinesMatch(
        """
        token: token-1\\.\\.\\. \\(7 characters\\), expires at .*
        jobs: \\[\\{"id":1}]
        jobs, with the same token: \\[\\{"id":1}]
        a wrong secret: token_endpoint_rejected: .*
          code              token_endpoint_rejected
          status            401
          OAuth error       invalid_client
          worth a retry     no
          retry after       1 s
        """
            .lines(),
        output.toString(StandardCharsets.UTF_8).lines());
  }

  @Test
  void whatIsMissingIsNamed() {
    var variables = Map.of("ROSTERING_CLIENT_ID", "client");
    var e = assertThrows(IllegalArgumentException.class, () -> Main.run(variables, out));
    assertEquals(
        "set ROSTERING_AUTH_URL, ROSTERING_BASE_URL, ROSTERING_ENVIRONMENT,"
            + " ROSTERING_CLIENT_SECRET, ROSTERING_CUSTOMER_ID, ROSTERING_USER_ID",
        e.getMessage());
  }

  @Test
  void wasmOfTheEnvironment() {
    var variables = variables("http://127.0.0.1:1");
    variables.put("ROSTERING_WASM", "none.wasm");
    var e = assertThrows(IllegalArgumentException.class, () -> Main.run(variables, out));
    assertEquals("there is no none.wasm", e.getMessage());
  }

  static Map<String, String> variables(String url) {
    var variables = new HashMap<String, String>();
    variables.put("ROSTERING_AUTH_URL", url);
    variables.put("ROSTERING_BASE_URL", url);
    variables.put("ROSTERING_ENVIRONMENT", "stage");
    variables.put("ROSTERING_CLIENT_ID", "client");
    variables.put("ROSTERING_CLIENT_SECRET", "s3cr3t");
    variables.put("ROSTERING_CUSTOMER_ID", "customer");
    variables.put("ROSTERING_USER_ID", "user");
    return variables;
  }
}
