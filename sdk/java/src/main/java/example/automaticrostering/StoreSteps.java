package example.automaticrostering;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.lang.System.Logger.Level;
import java.util.Collections;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;

/** Carries out the store steps, on separate threads, because a store may block. */
final class StoreSteps {
  /** Enough, unless the store hangs: then what waits for a thread times out. */
  private static final int THREADS = 4;

  private final Store store;
  private final BiConsumer<Level, String> log;
  private final ExecutorService threads = Daemons.named("rostering-store", THREADS);
  private final AtomicLong nextWarning = new AtomicLong(System.nanoTime());

  StoreSteps(Store store, BiConsumer<Level, String> log) {
    this.store = store;
    this.log = log;
  }

  /** Returns the result of a step as resume takes it, within the step's timeout. */
  CompletableFuture<Map<String, ?>> use(Step step) {
    var used = new CompletableFuture<Map<String, ?>>();
    var task = threads.submit(() -> used.completeAsync(() -> call(step), Runnable::run));
    used.orTimeout(step.timeout(), SECONDS);
    return used.exceptionally(
        e -> {
          task.cancel(e instanceof TimeoutException);
          return failed(step, Http.reason(e));
        });
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
    } catch (Throwable e) {
      throw new CompletionException(e);
    }
  }

  /** Logs a failure of the store, once a minute: it fails no call. */
  private Map<String, ?> failed(Step step, String reason) {
    var next = nextWarning.get();
    var time = System.nanoTime();
    if (time - next >= 0 && nextWarning.compareAndSet(next, time + SECONDS.toNanos(60))) {
      var shown = step.value() == null ? reason : reason.replace(step.value(), "[redacted]");
      log.accept(
          Level.WARNING,
          "the store failed, so the token is not shared: " + step.op() + ": " + shown);
    }
    return Map.of("failed", reason);
  }
}
