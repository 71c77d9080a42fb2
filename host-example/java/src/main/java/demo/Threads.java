package demo;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The threads of a service: virtual ones where the JDK has them, from Java 21 on, else a pool. */
final class Threads {
  private Threads() {}

  /** Found by its name, so that Java 17 compiles it: a program for Java 21 just calls it. */
  static ExecutorService forRequests() {
    try {
      var method = Executors.class.getMethod("newVirtualThreadPerTaskExecutor");
      return (ExecutorService) method.invoke(null);
    } catch (ReflectiveOperationException e) {
      return Executors.newFixedThreadPool(64);
    }
  }
}
