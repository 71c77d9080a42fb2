package example.automaticrostering;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Times calls out. One timer is for all calls in progress, and stays when they end: a timer of its
 * own, which nearly every call would set and free, wakes a thread.
 */
final class Deadlines {
  private static final long ORIGIN = System.nanoTime();

  /** Bounds how long a timer may stay for nothing. */
  private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

  private final Set<Call> calls;
  private final AtomicLong next = new AtomicLong(Timeout.NONE);

  Deadlines(Set<Call> calls) {
    this.calls = calls;
  }

  /** Returns the time in nanoseconds, which begins near zero. */
  static long now() {
    return System.nanoTime() - ORIGIN;
  }

  /** Returns the deadline of a call that begins now. */
  static long after(long timeout) {
    var now = now();
    return timeout < Timeout.NONE - now ? now + timeout : Timeout.NONE;
  }

  /** Sees to the deadline of one of the calls. */
  void add(long deadline) {
    var now = now();
    var time = Math.min(deadline, now + MINUTE);
    if (next.getAndAccumulate(time, Math::min) > time) {
      CompletableFuture.delayedExecutor(time - now, NANOSECONDS, Runnable::run)
          .execute(() -> check(time));
    }
  }

  /** Does nothing for a timer after which a sooner one was set. */
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
