package demo;

// snippet
import example.automaticrostering.Rostering;
import example.automaticrostering.RosteringConfig;
import example.automaticrostering.RosteringException;

/** Lists the jobs. */
public final class Jobs {
  public static void main(String[] args) throws InterruptedException {
    try (var client = Rostering.open(RosteringConfig.fromEnvironment())) { // one for all threads
      System.out.println(client.listJobs().text());
    } catch (RosteringException e) { // its message explains how to fix it
      System.err.println(e.getMessage());
      System.exit(1);
    }
  }
}
// end of snippet
