package example.automaticrostering;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.lang.System.Logger.Level;
import java.util.Collections;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;

/** Carries out the store steps, on separate threads, because a store may hang. */
final class StoreSteps {
  /** Enough, unless the store hangs: then what waits for a thread times out. */
  private static final int THREADS = 4;

  /** The length of a piece of a value that is too short to be a secret. */
  private static final int PIECE = 8;

  private final Store store;
  private final Log log;
  private final ExecutorService threads = Threads.pool("rostering-store", THREADS);
  private long nextWarning = System.nanoTime();

  StoreSteps(Store store, Log log) {
    this.store = store;
    this.log = log;
  }

  /** Returns the result of a step as resume takes it, within the step's timeout. */
  Map<String, ?> use(Step step) throws InterruptedException {
    var task = threads.submit(() -> call(step));
    try {
      return task.get(step.fields().getLong("timeout"), SECONDS);
    } catch (ExecutionException e) {
      return failed(step, e.getCause());
    } catch (TimeoutException e) {
      return failed(step, e);
    } finally {
      task.cancel(true);
    }
  }

  private Map<String, ?> call(Step step) throws Exception {
    var key = step.get("key");
    var ttl = step.fields().getLong("ttl");
    switch (step.get("op")) {
      case "get":
        return Collections.singletonMap("value", store.get(key));
      case "add":
        return Map.of("added", store.add(key, step.get("value"), ttl));
      default:
        store.set(key, step.get("value"), ttl);
        return Map.of();
    }
  }

  /** Logs a failure of the store, once a minute: it fails no call. */
  private synchronized Map<String, ?> failed(Step step, Throwable e) {
    var reason =
        repeats(Http.reason(e), step.get("value")) ? e.getClass().getName() : Http.reason(e);
    var time = System.nanoTime();
    if (time - nextWarning >= 0) {
      nextWarning = time + SECONDS.toNanos(60);
      log.add(
          Level.WARNING,
          "the token store's "
              + step.get("op")
              + " failed; calls continue, but the token is not shared (logged once a minute): "
              + reason);
    }
    return Map.of("failed", reason);
  }

  /** Reports whether a text has a piece of a value, which has the token. */
  private static boolean repeats(String text, String value) {
    if (value == null) {
      return false;
    }
    return IntStream.rangeClosed(0, value.length() - PIECE)
        .anyMatch(i -> text.contains(value.substring(i, i + PIECE)));
  }
}
