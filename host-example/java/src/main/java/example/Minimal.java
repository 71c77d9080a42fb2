package example;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Map;
import rostering.RosteringClient;
import rostering.RosteringConfig;
import rostering.RosteringException;

/** The least that a program needs; README.md shows it. */
final class Minimal {
  private Minimal() {}

  static void run(Map<String, String> env, PrintStream out) throws InterruptedException {
    // snippet
    var config =
        RosteringConfig.builder()
            .environment("stage")
            .authUrl(env.get("ROSTERING_AUTH_URL"))
            .baseUrl(env.get("ROSTERING_BASE_URL"))
            .clientId(env.get("ROSTERING_CLIENT_ID"))
            .clientSecret(env.get("ROSTERING_CLIENT_SECRET"))
            .customerId(env.get("ROSTERING_CUSTOMER_ID"))
            .userId(env.get("ROSTERING_USER_ID"))
            .build();
    try (var client = RosteringClient.open(Path.of(env.get("ROSTERING_WASM")), config)) {
      byte[] jobs = client.listJobs(); // in any thread, as often as you like
      out.writeBytes(jobs);
    } catch (RosteringException e) { // its message says what to do
      out.println(e.getMessage() + (e.retryable() ? "; call again later" : ""));
    }
    // end of snippet
  }
}
