package demo;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertLinesMatch;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import example.automaticrostering.RedisServer;
import example.automaticrostering.Sandbox;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ProgramsTest {
  private final ByteArrayOutputStream output = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(output, true, UTF_8);
  private Sandbox sandbox;
  private Map<String, String> variables;

  @BeforeEach
  void start() throws IOException {
    sandbox = new Sandbox();
    variables = new HashMap<>(sandbox.env());
  }

  @AfterEach
  void stop() throws IOException, InterruptedException {
    sandbox.close();
  }

  private void assertOutput(String lines) {
    var printed = output.toString(UTF_8).lines().filter(line -> !line.isBlank());
    assertLinesMatch(lines.lines(), printed);
  }

  @Test
  void mainShowsTokenJobsAndAnError() throws Exception {
    Main.run(variables, out);
    assertOutput(
        """
        token: eyJ.{5}\\.\\.\\. \\(\\d+ characters\\), expires at .*
        jobs: \\{"sandbox":.*
        jobs, with the same token: \\{"sandbox":.*
        a wrong secret: token_endpoint_rejected: .*
          code              token_endpoint_rejected
          status            401
          OAuth error       invalid_client
          OAuth description .*
          worth a retry     no
          seconds to wait   1
        """);
  }

  @Test
  void missingVariablesAreNamed() {
    variables.keySet().removeIf(name -> name.endsWith("_ID"));
    var e = assertThrows(IllegalArgumentException.class, () -> Main.run(variables, out));
    assertEquals(
        "set ROSTERING_CLIENT_ID, ROSTERING_CUSTOMER_ID, ROSTERING_USER_ID", e.getMessage());
  }

  @Test
  void jobsOrAnError() throws Exception {
    variables.put("ROSTERING_WASM", "../../dist/rostering.wasm");
    Jobs.run(variables, out);
    Minimal.run(variables, out);
    variables.put("ROSTERING_CLIENT_SECRET", "not-the-secret");
    Jobs.run(variables, out);
    Minimal.run(variables, out);
    assertOutput(
        """
        \\{"sandbox":.*
        \\{"sandbox":.*
        token_endpoint_rejected: .*
        \\{"code":"token_endpoint_rejected",.*
        """);
  }

  @Test
  void fleetSharesOneToken() throws Exception {
    try (var redis = new RedisServer()) {
      variables.put("ROSTERING_REDIS", redis.uri.toString());
      Fleet.run(variables, new BufferedReader(new StringReader("0\n2\n")), out);
      Fleet.run(variables, new BufferedReader(new StringReader("1\n")), out);
    }
    var lines = output.toString(UTF_8).lines().toList();
    assertEquals("{\"calls\":0}", lines.get(0));
    var two = Pattern.compile("\\{\"calls\":2(,\"token\":\"\\p{XDigit}{8}\",\"expires_at\":\\d+})");
    var same = two.matcher(lines.get(1));
    assertTrue(same.matches(), lines.get(1));
    assertEquals("{\"calls\":1" + same.group(1), lines.get(2));
  }

  @Test
  void readmeShowsHowToTakeThePackage() throws IOException {
    var pom = Files.readString(Path.of("package/pom.xml"));
    var snippet =
        Pattern.compile("<!-- snippet -->\n(.*?)\n +<!-- end of snippet -->", Pattern.DOTALL);
    var shown = snippet.matcher(pom);
    assertTrue(shown.find());
    assertTrue(Files.readString(Path.of("README.md")).contains(shown.group(1).stripIndent()));
  }
}
