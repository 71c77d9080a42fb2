package demo;

import example.automaticrostering.Rostering;
import example.automaticrostering.RosteringException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Shows the token and the jobs, the jobs again with the cached token, and what an error looks like.
 * README.md tells what it reads from its environment.
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
    } catch (InterruptedException | IOException | RuntimeException e) {
      System.err.println(e.getMessage());
      System.exit(1);
    }
  }

  static void run(Map<String, String> variables, PrintStream out)
      throws IOException, InterruptedException {
    var settings = new Settings(variables);
    var config = settings.config();
    try (var client = Rostering.open(config, settings.options())) {
      showToken(out, client);
      out.printf("jobs: %s%n", client.listJobs().text().strip());
      out.printf("jobs, with the same token: %s%n", client.listJobs().text().strip());
    }
    config.clientSecret("not-the-secret");
    try (var client = Rostering.open(config, settings.options())) {
      showError(out, client);
    }
  }

  private static void showToken(PrintStream out, Rostering client) throws InterruptedException {
    var token = client.getToken();
    var text = token.accessToken();
    var start = text.substring(0, Math.min(SHOWN_OF_TOKEN, text.length()));
    out.printf(
        "token: %s... (%d characters), expires at %s%n", start, text.length(), token.expiresAt());
  }

  private static void showError(PrintStream out, Rostering client) throws InterruptedException {
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
