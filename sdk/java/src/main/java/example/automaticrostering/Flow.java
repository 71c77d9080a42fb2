package example.automaticrostering;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * A token flow of the plugin, whose steps it carries out in its own thread. No waiting call owns
 * it. The holder guards what changes.
 */
final class Flow {
  /** A token that the service refused, and whether it was used before, as in the contract. */
  record Refusal(String token, boolean used) {}

  private final Core core;
  final boolean isForced;

  /** The refused token that began this flow, or null. */
  final Refusal refused;

  /** Completes with the next step's token, with null if no step has one, or with the error. */
  CompletableFuture<Token> news = new CompletableFuture<>();

  /** Completes with the last token, with the error, or with null if the flow was abandoned. */
  final CompletableFuture<Token> end = new CompletableFuture<>();

  final Thread thread = Threads.daemon("rostering-token", this::run);
  private Http.Failure failure; // of its token request, or null
  private long wall; // when its step began, by the client's clock
  private long mono; // the same by one that may stop with the machine

  Flow(Core core, boolean isForced, Refusal refused) {
    this.core = core;
    this.isForced = isForced;
    this.refused = refused;
    touch();
  }

  /** Begins a step. */
  void touch() {
    wall = core.now();
    mono = System.nanoTime();
  }

  /** Returns how many seconds ago its step began, by the clock that shows more. */
  long age() {
    return Math.max(core.now() - wall, TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - mono));
  }

  /** Whatever ends the flow ends it for every call that waits. */
  private void run() {
    try {
      var input = new HashMap<String, Object>();
      input.put("accepts", core.store == null ? List.of("wait") : List.of("store", "wait"));
      if (isForced) {
        input.put("force", true);
      }
      if (refused != null) {
        input.put("refused", refused.token());
        input.put("used", refused.used());
      }
      for (var step = next("begin", input); step != null; step = next("resume", input)) {
        input = new HashMap<>(carryOut(step));
        input.put("flow", step.fields().get("flow"));
      }
    } catch (Throwable e) {
      core.holder.end(this, null, e);
    }
    Thread.interrupted(); // if it was abandoned
    core.log.flush();
  }

  /** Returns the next step, or null after the last one. */
  private Step next(String export, Map<String, Object> input) {
    input.put("now", core.now());
    try {
      return core.plugin.run(() -> step(export, input));
    } finally {
      if (input.containsKey("failed")) { // its warning does not wait for the flow's end
        core.log.flushSoon();
      }
    }
  }

  /** In the plugin's thread: returns the next step, or null after the last one. */
  private Step step(String export, Map<String, Object> input) {
    var step = Step.ofJson(core.plugin.call(export, Json.write(input), failure));
    // Before the plugin's state changes again.
    return core.holder.take(this, step) && !step.isDone() ? step : null;
  }

  private Map<String, ?> carryOut(Step step) throws InterruptedException {
    switch (step.get("step")) {
      case "store":
        return core.store.use(step);
      case "wait":
        // Jitter, against a thundering herd.
        var jitter = 1 + ThreadLocalRandom.current().nextDouble() / 2;
        TimeUnit.NANOSECONDS.sleep((long) (step.fields().getDouble("seconds") * jitter * 1e9));
        return Map.of();
      case "request":
        try {
          return core.http.requestToken(step);
        } catch (Http.Failure e) {
          failure = e;
          return e.fields();
        }
      default:
        throw RosteringException.ofBug("unknown step " + step.get("step"), null);
    }
  }

  void end(Token token, Throwable e) {
    if (e == null) {
      news.complete(null);
      end.complete(token);
    } else {
      news.completeExceptionally(e);
      end.completeExceptionally(e);
    }
  }
}
