package example;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import rostering.RosteringClient;
import rostering.RosteringException;

/**
 * The host example: it shows the token and the jobs, the jobs again with the token that the plugin
 * kept, and what an error looks like. README.md tells what it reads from its environment.
 */
public final class Main {
  private static final int SHOWN_OF_TOKEN = 8;

  private Main() {}

  public static void main(String[] args) {
    try {
      // The service's answer is UTF-8, whatever the locale's encoding.
      run(System.getenv(), new PrintStream(System.out, true, StandardCharsets.UTF_8));
    } catch (RosteringException e) {
      Explanation.print(System.err, e);
      System.exit(1);
    } catch (InterruptedException | RuntimeException e) {
      System.err.println(e.getMessage());
      System.exit(1);
    }
  }

  static void run(Map<String, String> variables, PrintStream out) throws InterruptedException {
    var environment = new Environment(variables);
    var config = environment.config();
    var wasm = environment.wasm();
    try (var client = RosteringClient.open(wasm, config)) {
      showToken(out, client);
      showJobs(out, "jobs", client);
      showJobs(out, "jobs, with the same token", client);
    }
    var stranger = config.toBuilder().clientSecret("not-the-secret").build();
    try (var client = RosteringClient.open(wasm, stranger)) {
      showError(out, client);
    }
  }

  private static void showToken(PrintStream out, RosteringClient client)
      throws InterruptedException {
    var token = client.getToken();
    var text = token.accessToken();
    var start = text.substring(0, Math.min(SHOWN_OF_TOKEN, text.length()));
    out.printf(
        "token: %s... (%d characters), expires at %s%n", start, text.length(), token.expiresAt());
  }

  private static void showJobs(PrintStream out, String title, RosteringClient client)
      throws InterruptedException {
    out.printf("%s: %s%n", title, new String(client.listJobs(), StandardCharsets.UTF_8).strip());
  }

  private static void showError(PrintStream out, RosteringClient client)
      throws InterruptedException {
    try {
      client.listJobs();
    } catch (RosteringException e) {
      out.print("a wrong secret: ");
      Explanation.print(out, e);
      return;
    }
    throw new IllegalStateException("a wrong secret was accepted");
  }
}
