package example.automaticrostering;

import static java.util.concurrent.CompletableFuture.failedFuture;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** A call in progress. Its caller leaves it by completing its result. */
final class Call<T> {
  final CompletableFuture<T> result = new CompletableFuture<>();
  private final Driver driver;
  private final long timeout;
  private final long deadline;

  /** Whether there is a response, which is the caller's even if the deadline passes. */
  private volatile boolean hasResponse;

  Call(Driver driver, long timeout) {
    this.driver = driver;
    this.timeout = timeout;
    deadline = Deadlines.after(timeout);
  }

  /** Starts the call. */
  CompletableFuture<T> start(Supplier<CompletableFuture<T>> work) {
    if (!driver.add(this)) {
      result.completeExceptionally(Driver.closed());
      return result;
    }
    result.whenComplete((r, e) -> driver.remove(this));
    CompletableFuture<T> started;
    try {
      started = work.get();
    } catch (Throwable e) {
      started = failedFuture(e);
    }
    if (!started.isDone()) {
      driver.deadlines.add(deadline);
    }
    started.whenComplete(
        (r, e) -> {
          responded();
          driver
              .holder
              .settled(Math.max(1, deadline - Deadlines.now()))
              .whenComplete((x, y) -> end(r, e));
        });
    return result;
  }

  private void end(T r, Throwable e) {
    if (e == null) {
      result.complete(r);
    } else {
      result.completeExceptionally(Http.unwrapped(e));
    }
  }

  void responded() {
    hasResponse = true;
  }

  /** Waits for another token. */
  void continues() {
    hasResponse = false;
    timeOut();
  }

  /** The time of {@link Deadlines#now} at which the call times out. */
  long deadline() {
    return deadline;
  }

  /** Ends the call for its caller at the deadline, unless there is a response. */
  void timeOut() {
    if (deadline <= Deadlines.now() && !hasResponse && !result.isDone()) {
      result.completeExceptionally(
          RosteringException.ofNetwork(
              "the call timed out after " + timeout / 1e9 + " s: retry, or raise its timeout",
              true));
    }
  }
}
