package example.automaticrostering;

import example.automaticrostering.RosteringException.Reason;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/** A call in progress: work of one thread, which others may end. */
final class Call {
  /** What a call does. */
  interface Task<T, E extends Exception> {
    T run(Call call) throws E, InterruptedException;
  }

  private final Shared shared;
  private final long timeout;
  final boolean isCounted;

  /** The time of {@link Shared#nanos} at which it times out. */
  final long deadline;

  private Thread thread; // while it works
  private Supplier<? extends RuntimeException> reason; // why it was ended, or null
  private boolean isOurs; // whether the thread has an interrupt, and it is not its caller's

  /** Creates a call, unless the stack may overflow when it ends: close would wait forever. */
  Call(Shared shared, long timeout, boolean isCounted) {
    reserveStack(500);
    this.shared = shared;
    this.timeout = timeout;
    this.isCounted = isCounted;
    var now = Shared.nanos();
    deadline = timeout < Long.MAX_VALUE - now ? now + timeout : Long.MAX_VALUE;
  }

  static int reserveStack(int frames) {
    return frames == 0 ? 0 : 1 + reserveStack(frames - 1);
  }

  /** Works in this thread. What it throws after {@link #end} is the reason of that. */
  <T, E extends Exception> T run(Task<T, E> task) throws E, InterruptedException {
    try {
      return work(task);
    } catch (RosteringException e) {
      if (isCounted) {
        shared.failed.computeIfAbsent(e.code(), code -> new LongAdder()).increment();
      }
      throw e;
    }
  }

  private <T, E extends Exception> T work(Task<T, E> task) throws E, InterruptedException {
    synchronized (this) {
      thread = Thread.currentThread();
    }
    try {
      shared.add(this);
      check();
      return task.run(this);
    } catch (InterruptedException e) {
      checkAfterInterrupt();
      throw e;
    } catch (Exception e) {
      check();
      throw e;
    } finally {
      over();
    }
  }

  void timeOut() {
    var message = "the call timed out after " + timeout / 1e9 + " s: retry, or raise its timeout";
    end(() -> RosteringException.ofNetwork(Reason.TIMEOUT, message, true));
  }

  /** Ends the call. One that is over keeps its result. */
  synchronized void end(Supplier<? extends RuntimeException> why) {
    if (reason == null) {
      reason = why;
      if (thread != null) {
        isOurs = !thread.isInterrupted();
        thread.interrupt();
      }
    }
  }

  /** Throws the reason if the call was ended: a hook may have consumed the interrupt. */
  synchronized void check() {
    if (reason != null) {
      throw reason.get();
    }
  }

  /** Does the same after one interrupt was consumed. The caller's, if there is one, stays. */
  private synchronized void checkAfterInterrupt() {
    if (reason != null && !isOurs) {
      Thread.currentThread().interrupt();
    }
    isOurs = false;
    check();
  }

  /** The thread belongs to its caller again. */
  private void over() {
    synchronized (this) {
      thread = null;
      if (isOurs) {
        Thread.interrupted(); // the call may have ended before it noticed
      }
    }
    shared.remove(this);
    shared.holder.settle(deadline - Shared.nanos());
    shared.log.flush();
  }
}
