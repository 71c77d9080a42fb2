package example.automaticrostering;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;

/** Threads that keep no program from ending. */
final class Daemons {
  private Daemons() {}

  /** Threads that end when they have been idle for ten seconds. */
  static ExecutorService named(String name, int threads) {
    var queue = new LinkedBlockingQueue<Runnable>();
    var executor = new ThreadPoolExecutor(threads, threads, 10, SECONDS, queue);
    executor.allowCoreThreadTimeOut(true);
    executor.setThreadFactory(
        task -> {
          var thread = new Thread(task, name);
          thread.setDaemon(true);
          return thread;
        });
    return executor;
  }
}
