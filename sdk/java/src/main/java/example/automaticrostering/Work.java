package example.automaticrostering;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Work of one thread, which other threads may end. */
class Work {
  /** What is to be done. */
  interface Task<T, E extends Exception> {
    T run() throws E, InterruptedException;
  }

  private Thread thread;
  private boolean isOver;
  private Supplier<? extends RuntimeException> reason; // why it was ended, or null

  /** Works in this thread. What it throws after {@link #end} is the reason of that. */
  <T, E extends Exception> T run(Task<T, E> task) throws E, InterruptedException {
    synchronized (this) {
      thread = Thread.currentThread();
    }
    try {
      check();
      return task.run();
    } catch (Exception e) {
      check();
      throw e;
    } finally {
      over();
    }
  }

  /** Works in another thread. Completing the future ends the work. */
  <T> CompletableFuture<T> start(Task<T, ?> task) {
    var result = new CompletableFuture<T>();
    Runnable work =
        () -> {
          try {
            result.complete(run(task));
          } catch (Throwable e) {
            result.completeExceptionally(e);
          }
        };
    try {
      Threads.EACH.execute(work);
    } catch (Throwable e) { // too many threads
      over();
      throw e;
    }
    result.whenComplete((r, e) -> end(CancellationException::new));
    return result;
  }

  /** Throws the reason if the work was ended: a hook may have consumed the interrupt. */
  final void check() {
    Supplier<? extends RuntimeException> why;
    synchronized (this) {
      why = reason;
    }
    if (why != null) {
      throw why.get();
    }
  }

  /** Ends the work, unless it is over. */
  final synchronized void end(Supplier<? extends RuntimeException> why) {
    if (!isOver && reason == null) {
      reason = why;
      if (thread != null) {
        thread.interrupt();
      }
    }
  }

  /** The thread belongs to its caller again. */
  void over() {
    synchronized (this) {
      isOver = true;
      if (reason != null) {
        Thread.interrupted(); // the work may have ended before it noticed
      }
    }
  }
}
