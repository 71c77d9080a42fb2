package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import rostering.Service;

class MinimalTest {
  private static String run(Map<String, String> env) throws InterruptedException {
    var output = new ByteArrayOutputStream();
    Minimal.run(env, new PrintStream(output, true, StandardCharsets.UTF_8));
    return output.toString(StandardCharsets.UTF_8);
  }

  private static Map<String, String> env(Service service) {
    var env = new HashMap<>(MainTest.variables(service.url()));
    env.put("ROSTERING_WASM", "../../dist/rostering.wasm");
    return env;
  }

  @Test
  void showsTheJobs() throws Exception {
    try (var service = new Service()) {
      assertEquals("[{\"id\":1}]", run(env(service)));
    }
  }

  @Test
  void showsAnError() throws Exception {
    try (var service = new Service()) {
      var env = env(service);
      env.put("ROSTERING_CLIENT_SECRET", "not-the-secret");
      var shown = run(env);
      assertTrue(shown.startsWith("token_endpoint_rejected: "), shown);
    }
  }

  @Test
  void readmeShowsThisCode() throws IOException {
    var code = Files.readString(Path.of("src/main/java/example/Minimal.java"));
    var region =
        Pattern.compile("// snippet\n(.*?)\n +// end of snippet", Pattern.DOTALL).matcher(code);
    assertTrue(region.find());
    var readme = Files.readString(Path.of("README.md"));
    assertTrue(readme.contains(region.group(1).stripIndent()));
  }
}
