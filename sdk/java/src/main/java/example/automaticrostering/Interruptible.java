package example.automaticrostering;

/** Lets another thread interrupt one piece of work of this one, and nothing after it. */
final class Interruptible {
  /** Work that can be interrupted. */
  interface Work<T> {
    T run() throws Exception;
  }

  private final Thread thread = Thread.currentThread();
  private boolean isOver;
  private boolean isInterrupted;

  <T> T run(Work<T> work) throws Exception {
    try {
      return work.run();
    } finally {
      end();
    }
  }

  private synchronized void end() {
    isOver = true;
    if (isInterrupted) {
      Thread.interrupted(); // the work may have ended before it noticed
    }
  }

  synchronized void interrupt() {
    if (!isOver) {
      isInterrupted = true;
      thread.interrupt();
    }
  }

  /** Reports whether an interrupt was by {@link #interrupt}, and not the caller's. */
  synchronized boolean isInterrupted() {
    return isInterrupted;
  }
}
