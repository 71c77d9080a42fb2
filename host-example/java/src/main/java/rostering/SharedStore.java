package rostering;

import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Does the steps of a store, on threads of its own and with a time-out. */
final class SharedStore {
  private static final long TIMEOUT_SECONDS = 1;

  /** More than are busy, unless the store hangs: other operations then time out in the queue. */
  private static final int THREADS = 4;

  private final Store store;
  private final ThreadPoolExecutor threads =
      new ThreadPoolExecutor(
          THREADS,
          THREADS,
          10,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          Loop.daemons("rostering-store"));

  SharedStore(Store store) {
    this.store = store;
    threads.allowCoreThreadTimeOut(true);
  }

  /** Does a step, and gives what {@code resume} takes. */
  CompletableFuture<Map<String, ?>> take(Step step) {
    var done = new CompletableFuture<Map<String, ?>>();
    var task =
        threads.submit(
            () -> {
              try {
                done.complete(operate(step));
              } catch (Throwable e) {
                done.completeExceptionally(e);
              }
            });
    done.orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    return done.whenComplete((result, e) -> task.cancel(true));
  }

  private Map<String, ?> operate(Step step) throws Exception {
    var ttl = Duration.ofSeconds(step.ttl());
    switch (step.op()) {
      case "get":
        return Collections.singletonMap("value", store.get(step.key()));
      case "add":
        return Map.of("added", store.add(step.key(), step.value(), ttl));
      case "set":
        store.set(step.key(), step.value(), ttl);
        return Map.of();
      default:
        throw new IllegalArgumentException("no such operation: " + step.op());
    }
  }

  void close() {
    threads.shutdown();
  }
}
