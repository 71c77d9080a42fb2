package example.automaticrostering;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * A token flow of the plugin, whose steps it carries out in its own thread. What changes is guarded
 * by the holder's lock.
 */
final class Flow {
  /** A token that the service refused, and whether it was used before, as in the contract. */
  record Refusal(String token, boolean used) {}

  private final Shared shared;
  final boolean isForced;

  /** The refused token that it replaces, or null. */
  final Refusal refused;

  /** Completes with the next step's token, with null if no step has one, or with the error. */
  CompletableFuture<Token> news = new CompletableFuture<>();

  /** Completes with the last token, with the error, or with null if the flow was abandoned. */
  final CompletableFuture<Token> end = new CompletableFuture<>();

  /** Completes when its step does not write to the store. */
  CompletableFuture<Void> written = CompletableFuture.completedFuture(null);

  final Thread thread = Threads.daemon("rostering-token", this::run);
  private Http.Failure failure; // of its token request, or null
  private long wall; // when its step began, by the client's clock
  private long mono; // the same by one that may stop with the machine

  Flow(Shared shared, boolean isForced, Refusal refused) {
    this.shared = shared;
    this.isForced = isForced;
    this.refused = refused;
    touch();
  }

  /** Carries it out. Whatever ends it, ends it for all who wait. */
  private void run() {
    try {
      var input = new HashMap<String, Object>();
      input.put("accepts", shared.store == null ? List.of("wait") : List.of("store", "wait"));
      if (isForced) {
        input.put("force", true);
      }
      if (refused != null) {
        input.put("refused", refused.token());
        input.put("used", refused.used());
      }
      for (var step = ask("begin", input); step != null; step = ask("resume", input)) {
        input = new HashMap<>(carryOut(step));
        input.put("flow", step.fields().get("flow"));
      }
    } catch (Throwable e) {
      shared.holder.end(this, e);
    }
    Thread.interrupted(); // if it was abandoned
    shared.log.flush();
  }

  /** Returns the next step, or null after the last one. */
  private Step ask(String export, Map<String, Object> input) {
    input.put("now", shared.now());
    synchronized (shared.plugin) { // the step is published before the state changes again
      var step = Step.ofJson(shared.plugin.call(export, Json.write(input), failure));
      return shared.holder.publish(this, step) ? step : null;
    }
  }

  private Map<String, ?> carryOut(Step step) throws InterruptedException {
    switch (step.get("step")) {
      case "store":
        return shared.store.use(step);
      case "wait":
        // At random, against a thundering herd.
        var jitter = 1 + ThreadLocalRandom.current().nextDouble() / 2;
        TimeUnit.NANOSECONDS.sleep((long) (step.fields().getDouble("seconds") * jitter * 1e9));
        return Map.of();
      case "request":
        try {
          return shared.http.requestToken(step);
        } catch (Http.Failure e) {
          failure = e;
          return e.fields();
        }
      default:
        throw RosteringException.ofBug("unknown step " + step.get("step"), null);
    }
  }

  /** Gives a token to those who wait. */
  void wake(Token token) {
    news.complete(token);
    news = new CompletableFuture<>();
  }

  /** Notes whether its step writes to the store. */
  void writes(boolean now) {
    if (!now) {
      written.complete(null);
    } else if (written.isDone()) {
      written = new CompletableFuture<>();
    }
  }

  /** Ends the waits: with the last token, with an error, or with neither if it was abandoned. */
  void complete(Token token, Throwable e) {
    writes(false);
    if (e == null) {
      news.complete(null);
      end.complete(token);
    } else {
      news.completeExceptionally(e);
      end.completeExceptionally(e);
    }
  }

  /** Begins a step. */
  void touch() {
    wall = shared.now();
    mono = System.nanoTime();
  }

  /** Returns how many seconds ago its step began, by the clock that shows more (rule 6). */
  long age() {
    return Math.max(shared.now() - wall, TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - mono));
  }
}
