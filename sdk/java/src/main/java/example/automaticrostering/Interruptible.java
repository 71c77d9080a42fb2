package example.automaticrostering;

import java.util.concurrent.CancellationException;

/** Lets another thread interrupt one piece of work of this one, and nothing after it. */
final class Interruptible {
  private final Thread thread = Thread.currentThread();
  private boolean isOver;
  private boolean isInterrupted;

  <T> T run(CallerThread.Work<T> work) throws Exception {
    try {
      return work.run();
    } catch (InterruptedException e) {
      synchronized (this) {
        if (isInterrupted) {
          throw new CancellationException();
        }
      }
      throw e;
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
}
