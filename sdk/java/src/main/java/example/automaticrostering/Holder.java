package example.automaticrostering;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Holds the token of a client. One flow at a time gets another token from the plugin, apart from
 * the calls that wait for it. Its lock is not held during I/O, nor while the plugin runs.
 */
final class Holder {
  /** No step takes that long, unless the process was frozen. */
  private static final int MOST_SECONDS = 30;

  private final Core core;

  /**
   * Whether calls wait for a flow before they return. AWS Lambda freezes a process after each call:
   * a flow that continued would keep its lock in the store, and lose the response to its request.
   */
  private final boolean settles =
      !System.getenv().getOrDefault("AWS_LAMBDA_FUNCTION_NAME", "").isEmpty();

  private Step kept; // with the token that calls use until its time
  private long latest; // time at which a token was looked for
  private String worked; // the last token that the service accepted
  private Flow.Refusal refused; // with which the next flow begins
  private Flow flow; // that runs

  Holder(Core core) {
    this.core = core;
  }

  /** Returns a token for a call. The service refused its last one, unless that is null. */
  Token token(String mine) throws InterruptedException {
    while (true) {
      Flow waited;
      CompletableFuture<Token> news;
      synchronized (this) {
        var now = core.now();
        if (now < latest) { // the clock was set back
          kept = null;
        }
        latest = now;
        if (kept != null && now < kept.until()) {
          return kept.token();
        }
        waited = running(false);
        news = waited.news;
      }
      try {
        var token = await(news);
        if (token != null) {
          return token;
        }
      } catch (ExecutionException e) {
        if (!waited.isForced && (waited.refused == null || waited.refused.token().equals(mine))) {
          throw RosteringException.thrown(e);
        }
      }
    }
  }

  /** Returns the token of a flow that begins from now on, which all share that wait for it. */
  Token force() throws InterruptedException {
    var before = current();
    while (true) {
      Flow waited;
      synchronized (this) {
        waited = running(true);
      }
      var isNew = waited.isForced && waited != before;
      try {
        var token = await(waited.end);
        if (isNew && token != null) {
          return token;
        }
      } catch (ExecutionException e) {
        if (isNew) {
          throw RosteringException.thrown(e);
        }
      }
    }
  }

  /** Waits for a flow, for as long as a step may take. Null: it took longer, or was abandoned. */
  private static Token await(CompletableFuture<Token> result)
      throws InterruptedException, ExecutionException {
    try {
      return result.get(MOST_SECONDS + 1, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      return null;
    }
  }

  /** Waits for the flow that runs, if the process may be frozen after the call. */
  void settle(long nanos) {
    var running = settles ? current() : null;
    if (running != null) {
      var end = running.end.handle((token, e) -> token); // the call has its own result
      end.completeOnTimeout(null, nanos, TimeUnit.NANOSECONDS).join();
    }
  }

  /** Notes that the service did not refuse a token. */
  synchronized void accept(String token) {
    worked = token;
  }

  /**
   * Notes that the service refused a token. The next flow replaces it, unless another token or the
   * running flow does.
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

  /**
   * Forgets the token, after clear_token or set_token. The plugin restarts a running flow after
   * clear_token; after set_token, the calls that wait for it begin another.
   */
  synchronized void forget(boolean isSet) {
    kept = null;
    if (isSet) {
      refused = null;
      abandon();
    }
  }

  private void abandon() {
    if (flow != null) {
      flow.thread.interrupt();
      flow.end(null, null);
      flow = null;
    }
  }

  /** Returns the flow that runs, or null. One that never ends is abandoned. */
  synchronized Flow current() {
    if (flow != null && flow.age() > MOST_SECONDS) {
      abandon();
    }
    return flow;
  }

  /** Returns the flow that runs, or else a new one. */
  private Flow running(boolean isForced) {
    if (current() == null) {
      var begun = new Flow(core, isForced, isForced ? null : refused);
      begun.thread.start();
      flow = begun;
      if (!isForced) {
        refused = null;
      }
    }
    return flow;
  }

  /** Takes the token of a flow's step, and returns whether the flow still runs. */
  synchronized boolean take(Flow f, Step step) {
    if (flow != f) {
      return false;
    }
    f.touch();
    var token = step.token();
    // The service may refuse a token while that is renewed.
    if (token != null && (refused == null || !refused.token().equals(token.accessToken()))) {
      kept = step;
      refused = null;
      f.news.complete(token);
      f.news = new CompletableFuture<>();
    }
    if (step.isDone()) {
      end(f, token, null);
    }
    return true;
  }

  /** Ends a flow for all who wait, unless it was abandoned. */
  synchronized void end(Flow f, Token token, Throwable e) {
    if (flow == f) {
      flow = null;
      f.end(token, e);
    }
  }
}
