package demo;

import example.automaticrostering.RosteringException;
import java.io.PrintStream;

/** Says what went wrong, and what is known about it. */
final class Explanation {
  private Explanation() {}

  static void print(PrintStream out, RosteringException e) {
    var details = e.details();
    out.println(e.getMessage());
    field(out, "code", details.code());
    field(out, "key", details.key());
    field(out, "status", details.status());
    field(out, "OAuth error", details.oauthError());
    field(out, "OAuth description", details.oauthErrorDescription());
    field(out, "worth a retry", e.retryable() ? "yes" : "no");
    field(out, "seconds to wait", details.retryAfter());
    field(out, "body", details.body());
  }

  private static void field(PrintStream out, String name, Object value) {
    if (value != null) {
      out.printf("  %-17s %s%n", name, value);
    }
  }
}
