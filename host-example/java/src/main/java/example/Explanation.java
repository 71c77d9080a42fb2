package example;

import java.io.PrintStream;
import rostering.RosteringException;

/** Says what went wrong, and what is known about it. */
final class Explanation {
  private Explanation() {}

  static void print(PrintStream out, RosteringException e) {
    out.println(e.getMessage());
    field(out, "code", e.code());
    e.key().ifPresent(key -> field(out, "key", key));
    e.status().ifPresent(status -> field(out, "status", status));
    e.oauthError().ifPresent(error -> field(out, "OAuth error", error));
    e.oauthErrorDescription().ifPresent(text -> field(out, "OAuth description", text));
    field(out, "worth a retry", e.retryable() ? "yes" : "no");
    e.retryAfter().ifPresent(time -> field(out, "retry after", time.toSeconds() + " s"));
    e.body().ifPresent(body -> field(out, "body", body + (e.bodyTruncated() ? " (and more)" : "")));
  }

  private static void field(PrintStream out, String name, Object value) {
    out.printf("  %-17s %s%n", name, value);
  }
}
