package demo;

import example.automaticrostering.Rostering;
import example.automaticrostering.RosteringConfig;
import example.automaticrostering.RosteringConfig.Environment;
import example.automaticrostering.RosteringException;
import java.io.PrintStream;
import java.util.Map;

/** The library at its shortest; README.md shows it. */
public final class Jobs {
  private Jobs() {}

  public static void main(String[] args) throws InterruptedException {
    run(System.getenv(), System.out);
  }

  static void run(Map<String, String> env, PrintStream out) throws InterruptedException {
    // snippet
    var config =
        new RosteringConfig()
            .environment(Environment.STAGE)
            .authUrl(env.get("ROSTERING_AUTH_URL"))
            .baseUrl(env.get("ROSTERING_BASE_URL"))
            .clientId(env.get("ROSTERING_CLIENT_ID"))
            .clientSecret(env.get("ROSTERING_CLIENT_SECRET"))
            .customerId(env.get("ROSTERING_CUSTOMER_ID"))
            .userId(env.get("ROSTERING_USER_ID"));
    try (var client = Rostering.open(config)) { // one for all threads
      out.println(client.listJobs().text());
    } catch (RosteringException e) { // its message says what to do
      out.println(e.getMessage() + (e.retryable() ? "; call again later" : ""));
    }
    // end of snippet
  }
}
