package example.automaticrostering;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;

/** Thread pools that do not keep the JVM alive. */
final class Daemons {
  private Daemons() {}

  /** Returns a pool whose threads end after ten idle seconds. */
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
