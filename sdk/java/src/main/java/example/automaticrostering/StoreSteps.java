package example.automaticrostering;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.Collections;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeoutException;

/** Carries out the store steps, on threads of their own: a store may block. */
final class StoreSteps {
  /** More than are busy, unless the store hangs: what waits for them then times out. */
  private static final int THREADS = 4;

  private final Store store;
  private final ExecutorService threads = Daemons.named("rostering-store", THREADS);

  StoreSteps(Store store) {
    this.store = store;
  }

  /** Returns the result of a step as resume takes it, or fails within the step's time. */
  CompletableFuture<Map<String, ?>> use(Step step) {
    var used = new CompletableFuture<Map<String, ?>>();
    var task = threads.submit(() -> used.completeAsync(() -> call(step), Runnable::run));
    used.orTimeout(step.timeout(), SECONDS)
        .whenComplete((outcome, e) -> task.cancel(e instanceof TimeoutException));
    return used;
  }

  private Map<String, ?> call(Step step) {
    try {
      switch (step.op()) {
        case "get":
          return Collections.singletonMap("value", store.get(step.key()));
        case "add":
          return Map.of("added", store.add(step.key(), step.value(), step.ttl()));
        default:
          store.set(step.key(), step.value(), step.ttl());
          return Map.of();
      }
    } catch (Exception e) {
      throw new CompletionException(e);
    }
  }
}
