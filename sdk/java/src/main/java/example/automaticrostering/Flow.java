package example.automaticrostering;

import static java.util.concurrent.CompletableFuture.completedFuture;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * A token flow of the plugin, whose steps it carries out. It belongs to none of the calls that wait
 * for it. What changes is guarded by the holder.
 */
final class Flow {
  /** A token that the service refused, and whether it was used before, as in the contract. */
  record Refusal(String token, boolean used) {}

  private final Driver driver;
  final boolean isForced;

  /** With which it began, or null. */
  final Refusal refused;

  /** Completes with the next token of a step, with null if there is none, or with the error. */
  CompletableFuture<Token> news = new CompletableFuture<>();

  /** Completes with the last token, with the error, or with null if the flow was abandoned. */
  final CompletableFuture<Token> end = new CompletableFuture<>();

  private volatile CompletableFuture<?> work = completedFuture(null); // of its step
  private CompletableFuture<Void> timer = new CompletableFuture<>();
  private Throwable failure; // of its last request
  private long wall; // when its step began, by the client's clock
  private long mono; // the same by one that may stop with the machine

  Flow(Driver driver, boolean isForced, Refusal refused) {
    this.driver = driver;
    this.isForced = isForced;
    this.refused = refused;
  }

  /** Begins a step, which is abandoned after a time. */
  void touch(long mostSeconds) {
    wall = driver.now();
    mono = System.nanoTime();
    timer.complete(null);
    timer = Timeout.after(TimeUnit.SECONDS.toNanos(mostSeconds + 1));
    timer.thenRun(driver.holder::abandonOld);
  }

  /** Returns how many seconds ago its step began, by the clock that shows more. */
  long age() {
    return Math.max(driver.now() - wall, TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - mono));
  }

  /** Runs in the plugin's thread, but for the steps. */
  void start() {
    driver.plugin.execute(
        () -> {
          var input = new HashMap<String, Object>();
          input.put("accepts", driver.store == null ? List.of() : List.of("store"));
          if (isForced) {
            input.put("force", true);
          }
          if (refused != null) {
            input.put("refused", refused.token());
            input.put("used", refused.used());
          }
          next("begin", input);
        });
  }

  /** Whatever ends the flow, ends it for all who wait. */
  private void next(String export, Map<String, Object> input) {
    try {
      input.put("now", driver.now());
      var step = Step.ofJson(driver.plugin.call(export, Json.write(input), failure));
      if (!driver.holder.take(this, step)) {
        return;
      }
      if (step.isDone()) {
        driver.holder.end(this, step.token(), null);
        return;
      }
      var started = start(step);
      work = started;
      if (!driver.holder.isRunning(this)) {
        cancel();
      }
      started.whenCompleteAsync((result, e) -> resume(step, result, e), driver.plugin);
    } catch (Throwable e) {
      driver.holder.end(this, null, e);
    }
  }

  private void resume(Step step, Map<String, ?> result, Throwable e) {
    if (!driver.holder.isRunning(this)) {
      return;
    }
    failure = e == null ? null : Http.unwrapped(e);
    var input = new HashMap<String, Object>(e == null ? result : Map.of("failed", Http.reason(e)));
    input.put("flow", step.flow());
    next("resume", input);
  }

  private CompletableFuture<? extends Map<String, ?>> start(Step step) {
    switch (step.step()) {
      case "store":
        return driver.store.use(step);
      case "wait":
        // At random, against a thundering herd.
        var jitter = 1 + ThreadLocalRandom.current().nextDouble() / 2;
        return Timeout.after((long) (step.seconds() * jitter * 1e9)).thenApply(x -> Map.of());
      case "request":
        return driver.http.requestToken(step);
      default:
        throw RosteringException.ofBug("unknown step " + step.step(), null);
    }
  }

  void cancel() {
    work.cancel(true);
  }

  void end(Token token, Throwable e) {
    timer.complete(null);
    if (e == null) {
      news.complete(null);
      end.complete(token);
    } else {
      news.completeExceptionally(e);
      end.completeExceptionally(e);
    }
  }
}
