package example.automaticrostering;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * The calls in progress. They share one timer, which stays when they end: a timer for each, which
 * nearly every call would set and cancel, would wake a thread each time.
 */
final class Calls {
  /** A timeout of three centuries. */
  static final long NEVER = Long.MAX_VALUE;

  private static final long ORIGIN = System.nanoTime();

  /** Bounds how long a timer stays that no call needs. */
  private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

  private final Set<Call> calls = ConcurrentHashMap.newKeySet();
  private final AtomicLong next = new AtomicLong(NEVER);

  /** Completes when the client is closing and no call is left. */
  final CompletableFuture<Void> ended = new CompletableFuture<>();

  private volatile boolean isClosing;

  /** Returns the time in nanoseconds, counted from near zero. */
  static long now() {
    return System.nanoTime() - ORIGIN;
  }

  /** Returns the deadline of a call that begins now. */
  static long after(long timeout) {
    var now = now();
    return timeout < NEVER - now ? now + timeout : NEVER;
  }

  /** Converts a timeout to nanoseconds; one of more than three centuries is none. */
  static long nanos(Duration timeout) {
    if (RosteringException.notNull(timeout, "timeout").isZero() || timeout.isNegative()) {
      throw new IllegalArgumentException("a timeout must be positive, not " + timeout);
    }
    try {
      return timeout.toNanos();
    } catch (ArithmeticException e) {
      return NEVER;
    }
  }

  void add(Call call) {
    calls.add(call);
    if (isClosing) {
      remove(call); // whether or not the close has seen it
      throw closed();
    }
    time(call.deadline);
  }

  void remove(Call call) {
    calls.remove(call);
    endIfIdle();
  }

  /** Waits for the calls that began before, and ends those that take longer. */
  void close(long nanos) {
    isClosing = true;
    endIfIdle();
    try {
      ended.get(nanos, NANOSECONDS);
      return;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (TimeoutException e) { // as wanted
    } catch (ExecutionException e) {
      throw new AssertionError(e); // nothing completes it with an exception
    }
    Supplier<CancellationException> why =
        () -> new CancellationException("the client was closed before the call ended");
    calls.forEach(call -> call.end(why));
  }

  private void endIfIdle() {
    if (isClosing && calls.isEmpty()) {
      ended.complete(null);
    }
  }

  static IllegalStateException closed() {
    return new IllegalStateException("the client is closed; open a new one");
  }

  /** Sets the timer for a deadline. */
  private void time(long deadline) {
    var now = now();
    var time = Math.min(deadline, now + MINUTE);
    if (next.getAndAccumulate(time, Math::min) > time) {
      CompletableFuture.delayedExecutor(time - now, NANOSECONDS, Runnable::run)
          .execute(() -> timeOut(time));
    }
  }

  /** Times out the calls that are due, unless an earlier timer has replaced this one. */
  private void timeOut(long time) {
    if (next.compareAndSet(time, NEVER)) {
      for (var call : calls) {
        call.timeOut();
        if (call.deadline > now()) {
          time(call.deadline);
        }
      }
    }
  }
}
