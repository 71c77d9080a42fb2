package example.automaticrostering;

import static example.automaticrostering.RosteringException.notNull;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** Retries calls that fail with a retryable error. */
public final class Retry {
  private static final Duration LONGEST = Duration.ofSeconds(30);

  private Retry() {}

  /** A call, such as {@code client::listJobs}. */
  @FunctionalInterface
  public interface Call<T> {
    /** Makes the call. */
    T call() throws InterruptedException;
  }

  /**
   * Makes a call, and retries it while its error is retryable: after {@link
   * RosteringException#retryAfter}, or else after 1 s, doubling to 30 s. Throws the last error if
   * the wait would end after the deadline, which counts from now.
   */
  public static <T> T call(Duration deadline, Call<T> call) throws InterruptedException {
    return call(deadline, call, RosteringException::retryable);
  }

  /** The same, but {@code retryIf} says after which errors. */
  public static <T> T call(
      Duration deadline, Call<T> call, Predicate<? super RosteringException> retryIf)
      throws InterruptedException {
    var limit = RosteringClientBuilder.nanos(deadline);
    notNull(call, "the call");
    notNull(retryIf, "retryIf");
    var begin = System.nanoTime();
    for (var backoff = Duration.ofSeconds(1); ; backoff = backoff.multipliedBy(2)) {
      backoff = backoff.compareTo(LONGEST) > 0 ? LONGEST : backoff;
      try {
        return call.call();
      } catch (RosteringException e) {
        var wait =
            RosteringClientBuilder.nanos(
                e.retryAfter().filter(after -> !after.isZero()).orElse(backoff));
        var jitter = ThreadLocalRandom.current().nextDouble(0.1);
        var nanos = (long) (wait * (1 + jitter));
        if (!retryIf.test(e) || nanos > limit - (System.nanoTime() - begin)) {
          throw e;
        }
        TimeUnit.NANOSECONDS.sleep(nanos);
      }
    }
  }
}
