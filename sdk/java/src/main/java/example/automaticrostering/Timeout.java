package example.automaticrostering;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Timeouts in nanoseconds. */
final class Timeout {
  /** Three centuries. */
  static final long NONE = Long.MAX_VALUE;

  private Timeout() {}

  /** Converts a timeout to nanoseconds; one of more than three centuries is none. */
  static long nanos(Duration timeout) {
    if (timeout.isZero() || timeout.isNegative()) {
      throw new IllegalArgumentException("a timeout must be positive, not " + timeout);
    }
    try {
      return timeout.toNanos();
    } catch (ArithmeticException e) {
      return NONE;
    }
  }

  /** Completing the future sooner frees its timer; canceling it would not, before Java 21. */
  static CompletableFuture<Void> after(long nanos) {
    var timer = new CompletableFuture<Void>();
    return nanos == NONE ? timer : timer.completeOnTimeout(null, nanos, NANOSECONDS);
  }
}
