package demo;

// snippet
import example.automaticrostering.RosteringClient;
import example.automaticrostering.RosteringConfig;
import example.automaticrostering.RosteringException;

public final class Jobs {
  public static void main(String[] args) throws InterruptedException {
    // Open one client, and share it among all threads.
    try (var client = RosteringClient.open(RosteringConfig.fromEnvironment())) {
      System.out.println(client.listJobs().text());
    } catch (RosteringException e) { // its message explains how to fix it
      System.err.println(e.getMessage());
      e.body()
          .ifPresent(body -> System.err.println(body.substring(0, Math.min(500, body.length()))));
      System.exit(1);
    }
  }
}
// end of snippet
