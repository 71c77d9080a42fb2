package example.automaticrostering;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;

/** Threads that do not keep the JVM alive. Those of pools end after ten idle seconds. */
final class Threads {
  /** Runs each task in a thread, a virtual one where Java has these. */
  static final Executor EACH = each();

  private Threads() {}

  private static Executor each() {
    try {
      return (Executor) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    } catch (ReflectiveOperationException e) { // before Java 21
      var most = Integer.MAX_VALUE;
      return new ThreadPoolExecutor(
          0, most, 10, SECONDS, new SynchronousQueue<>(), task -> daemon("rostering-call", task));
    }
  }

  static ExecutorService pool(String name, int threads) {
    var queue = new LinkedBlockingQueue<Runnable>();
    var pool =
        new ThreadPoolExecutor(threads, threads, 10, SECONDS, queue, task -> daemon(name, task));
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  static Thread daemon(String name, Runnable task) {
    var thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }
}
