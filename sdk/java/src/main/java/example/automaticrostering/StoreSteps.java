package example.automaticrostering;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.Collections;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeoutException;

/** Carries out the store steps, on separate threads, because a store may hang. */
final class StoreSteps {
  /** Bounds a value, in bytes. */
  private static final int MAX_VALUE = 64 << 10;

  private final Store store;
  private final ExecutorService threads = Threads.cached("rostering-store");

  StoreSteps(Store store) {
    this.store = store;
  }

  void free() {
    threads.shutdownNow();
  }

  /** Returns the result of a step as resume takes it, within the step's timeout. */
  Map<String, ?> use(Step step) throws InterruptedException {
    var task = threads.submit(() -> call(step));
    try {
      return task.get(step.fields().getLong("timeout"), SECONDS);
    } catch (ExecutionException | TimeoutException e) { // nothing but a timeout
      return failed(e);
    } finally {
      task.cancel(true);
    }
  }

  private static Map<String, ?> failed(Throwable e) {
    return Map.of("failed", Http.reason(e, Http::text));
  }

  /** Catches all here: the JDK's future would print it, which can throw again. */
  private Map<String, ?> call(Step step) {
    try {
      return carryOut(step);
    } catch (Throwable e) {
      return failed(e);
    }
  }

  private Map<String, ?> carryOut(Step step) throws Exception {
    var key = step.get("key");
    var ttl = step.fields().getLong("ttl");
    switch (step.get("op")) {
      case "get":
        var value = store.get(key);
        if (value != null && value.getBytes(UTF_8).length > MAX_VALUE) {
          return Map.of("failed", "the value has more than 64 KiB");
        }
        return Collections.singletonMap("value", value);
      case "add":
        return Map.of("added", store.add(key, step.get("value"), ttl));
      default:
        store.set(key, step.get("value"), ttl);
        return Map.of();
    }
  }
}
