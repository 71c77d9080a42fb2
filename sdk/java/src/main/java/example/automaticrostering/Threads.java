package example.automaticrostering;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;

/**
 * Threads that do not keep the JVM alive. Those of pools end after ten idle seconds, or when the
 * client closes: one that stays keeps the class loader of a program that was deployed again.
 */
final class Threads {
  private Threads() {}

  static ThreadPoolExecutor cached(String name) {
    var most = Integer.MAX_VALUE;
    return new ThreadPoolExecutor(
        0, most, 10, SECONDS, new SynchronousQueue<>(), task -> daemon(name, task));
  }

  /** Returns a thread for short tasks. CompletableFuture's own would stay, with its loader. */
  static ScheduledExecutorService timer() {
    var timer = new ScheduledThreadPoolExecutor(1, task -> daemon("rostering-timer", task));
    timer.setKeepAliveTime(10, SECONDS);
    timer.allowCoreThreadTimeOut(true);
    return timer;
  }

  static Thread daemon(String name, Runnable task) {
    var thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }
}
