package example.automaticrostering;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Times calls out. All calls in progress share one timer, which stays when they end: a timer for
 * each, which nearly every call would set and cancel, would wake a thread each time.
 */
final class Deadlines {
  private static final long ORIGIN = System.nanoTime();

  /** Bounds how long a timer stays that no call needs. */
  private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

  private final Set<Call<?>> calls;
  private final AtomicLong next = new AtomicLong(Timeout.NONE);

  Deadlines(Set<Call<?>> calls) {
    this.calls = calls;
  }

  /** Returns the time in nanoseconds, counted from near zero. */
  static long now() {
    return System.nanoTime() - ORIGIN;
  }

  /** Returns the deadline of a call that begins now. */
  static long after(long timeout) {
    var now = now();
    return timeout < Timeout.NONE - now ? now + timeout : Timeout.NONE;
  }

  /** Sets the timer for the deadline of one of the calls. */
  void add(long deadline) {
    var now = now();
    var time = Math.min(deadline, now + MINUTE);
    if (next.getAndAccumulate(time, Math::min) > time) {
      CompletableFuture.delayedExecutor(time - now, NANOSECONDS, Runnable::run)
          .execute(() -> check(time));
    }
  }

  /** Times out the calls that are due, unless an earlier timer has replaced this one. */
  private void check(long time) {
    if (next.compareAndSet(time, Timeout.NONE)) {
      for (var call : calls) {
        if (call.deadline() > now()) {
          add(call.deadline());
        } else {
          call.timeOut();
        }
      }
    }
  }
}
