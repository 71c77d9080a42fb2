package example.automaticrostering;

import static java.util.concurrent.CompletableFuture.completedFuture;
import static java.util.concurrent.CompletableFuture.failedFuture;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Holds the token of a client. One flow at a time gets another token from the plugin, apart from
 * the calls that wait for it. Its lock is not held during I/O, nor while the plugin runs.
 */
final class Holder {
  /** No step takes that long, unless the process was frozen. */
  private static final int MOST_SECONDS = 30;

  private final Driver driver;

  /**
   * Whether calls wait for a flow before they return. AWS Lambda freezes a process after each call:
   * a flow that continued would keep its lock in the store, and lose the response to its request.
   */
  private final boolean settles = System.getenv("AWS_LAMBDA_FUNCTION_NAME") != null;

  private Step kept; // with the token that calls use until its time
  private long latest; // time at which a token was looked for
  private String worked; // the last token that the service accepted
  private Flow.Refusal refused; // with which the next flow begins
  private Flow flow; // that runs

  Holder(Driver driver) {
    this.driver = driver;
  }

  /** Returns a token for a call. The service refused its last one, unless that is null. */
  CompletableFuture<Token> token(String mine) {
    Flow waited;
    CompletableFuture<Token> news;
    synchronized (this) {
      var now = driver.now();
      if (now < latest) { // the clock was set back
        kept = null;
      }
      latest = now;
      if (kept != null && now < kept.until()) {
        return completedFuture(kept.token());
      }
      waited = running(false);
      news = waited.news;
    }
    return compose(
        news,
        (token, e) -> {
          if (token != null) {
            return completedFuture(token);
          }
          var isMine = waited.refused == null || waited.refused.token().equals(mine);
          return e != null && !waited.isForced && isMine ? failedFuture(e) : token(mine);
        });
  }

  /**
   * Returns the token of a flow that begins from now on. All that wait for such a flow share it.
   */
  CompletableFuture<Token> force() {
    Flow before;
    synchronized (this) {
      abandonOld();
      before = flow;
    }
    return forcedAfter(before);
  }

  private CompletableFuture<Token> forcedAfter(Flow before) {
    Flow waited;
    synchronized (this) {
      waited = running(true);
    }
    return compose(
        waited.end,
        (token, e) -> {
          if (!waited.isForced || waited == before || token == null && e == null) {
            return forcedAfter(before);
          }
          return e == null ? completedFuture(token) : failedFuture(e);
        });
  }

  private static <T> CompletableFuture<T> compose(
      CompletableFuture<T> stage, BiFunction<T, Throwable, CompletableFuture<T>> next) {
    return stage.handle(next).thenCompose(Function.identity());
  }

  /** Waits for the flow that runs, if the process may be frozen after the call. */
  synchronized CompletableFuture<?> settled(long nanos) {
    return settles && flow != null
        ? flow.end.copy().completeOnTimeout(null, nanos, TimeUnit.NANOSECONDS)
        : completedFuture(null);
  }

  /** Notes that the service did not refuse a token. */
  synchronized void accept(String token) {
    worked = token;
  }

  /**
   * Notes that the service refused a token. The next flow replaces it, if no other token has done
   * so.
   *
   * @param isFirst whether this was the first 401 of a call that can be sent again
   */
  synchronized void refuse(String token, boolean isFirst) {
    if (kept != null && kept.token().accessToken().equals(token)) {
      kept = null;
    }
    var isReplaced = flow != null && flow.refused != null && flow.refused.token().equals(token);
    if (kept == null && !isReplaced) {
      refused = new Flow.Refusal(token, isFirst && token.equals(worked));
    }
  }

  /** Drops what is kept, after clear_token. A flow that runs begins anew in the plugin. */
  synchronized void clear() {
    kept = null;
  }

  /** Drops what is kept, after set_token. Who waits for a flow that runs begins another. */
  synchronized void replace() {
    kept = null;
    refused = null;
    abandon();
  }

  synchronized void abandonOld() {
    if (flow != null && flow.age() > MOST_SECONDS) {
      abandon();
    }
  }

  /** Those who wait continue in the plugin's thread, without the lock. */
  synchronized void abandon() {
    if (flow != null) {
      var abandoned = flow;
      flow = null;
      abandoned.cancel();
      driver.plugin.execute(() -> abandoned.end(null, null));
    }
  }

  /** Returns the flow that runs, or else a new one. */
  private Flow running(boolean isForced) {
    abandonOld();
    if (flow == null) {
      flow = new Flow(driver, isForced, isForced ? null : refused);
      if (!isForced) {
        refused = null;
      }
      flow.touch(MOST_SECONDS);
      flow.start();
    }
    return flow;
  }

  synchronized boolean isRunning(Flow f) {
    return flow == f;
  }

  /** Takes the token of a flow's step, and returns whether the flow still runs. */
  boolean take(Flow f, Step step) {
    CompletableFuture<Token> news;
    synchronized (this) {
      if (flow != f) {
        return false;
      }
      f.touch(MOST_SECONDS);
      // The service may refuse a token while that is renewed.
      if (step.token() == null
          || refused != null && refused.token().equals(step.token().accessToken())) {
        return true;
      }
      kept = step;
      refused = null;
      news = f.news;
      f.news = new CompletableFuture<>();
    }
    news.complete(step.token());
    return true;
  }

  /** Ends a flow for all who wait, unless it was abandoned. */
  void end(Flow f, Token token, Throwable e) {
    synchronized (this) {
      if (flow != f) {
        return;
      }
      flow = null;
    }
    f.end(token, e);
  }
}
