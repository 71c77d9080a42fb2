package example.automaticrostering;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Holds the token of a client. One flow at a time gets another from the plugin, apart from the
 * calls that wait. Its lock is not held during I/O, nor while the plugin runs. Rules are those of
 * docs/contract.md, A host.
 */
final class Holder {
  /** The age at which a step is abandoned. None takes that long, unless the process was frozen. */
  private static final int MAX_AGE = 30; // seconds

  private final Shared shared;

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

  Holder(Shared shared) {
    this.shared = shared;
  }

  /** Returns a token for a call. The service refused the call's last one, unless that is null. */
  Token token(String mine) throws InterruptedException {
    while (true) {
      Flow joined;
      CompletableFuture<Token> news;
      synchronized (this) {
        var now = shared.now();
        if (now < latest) { // the clock was set back (rule 7)
          kept = null;
        }
        latest = now;
        if (kept != null && now < kept.until()) {
          return kept.token();
        }
        joined = join(false);
        news = joined.news;
      }
      try {
        var token = await(news);
        if (token != null) {
          return token;
        }
      } catch (ExecutionException e) {
        // Rule 2: the error is not that of others.
        if (!joined.isForced && (joined.refused == null || joined.refused.token().equals(mine))) {
          throw RosteringException.thrown(e);
        }
      }
    }
  }

  /** Returns the token of a flow that begins from now on, which all share that wait (rule 1). */
  Token force() throws InterruptedException {
    var before = running();
    while (true) {
      var joined = join(true);
      var isNew = joined.isForced && joined != before;
      try {
        var token = await(joined.end);
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

  /** Waits for the end of the flow that runs, if the process may be frozen after the call. */
  void settle(long nanos) {
    var running = settles ? running() : null;
    if (running != null) {
      var end = running.end.handle((token, e) -> token); // the call has its result
      end.completeOnTimeout(null, nanos, TimeUnit.NANOSECONDS).join();
    }
  }

  /**
   * Completes when the flow that runs does not write to the store, at the end of the client: its
   * lock would stay there, and others wait for it.
   */
  synchronized CompletableFuture<Void> written() {
    return flow == null ? CompletableFuture.completedFuture(null) : flow.written;
  }

  /** Notes that the service did not refuse a token. */
  synchronized void accept(String token) {
    worked = token;
  }

  /**
   * Notes that the service refused a token. The next flow replaces it, unless it is replaced (rule
   * 3).
   *
   * @param isFirst whether this was the first 401 of a call that can be sent again (rule 4)
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
   * clear_token; after set_token, the calls that wait for it begin another (rule 1).
   */
  synchronized void forget(boolean isSet) {
    kept = null;
    if (isSet) {
      refused = null;
      abandon();
    }
  }

  /**
   * Has all who wait use the token of a step, before the plugin's state changes again (rule 1).
   * Returns whether the flow still runs.
   */
  synchronized boolean publish(Flow f, Step step) {
    if (flow != f) { // abandoned: its result does not count (rule 6)
      return false;
    }
    f.touch();
    f.writes("set".equals(step.get("op")));
    var token = step.token();
    // Rule 3: the service may refuse the token while the flow runs.
    if (token != null && (refused == null || !refused.token().equals(token.accessToken()))) {
      kept = step;
      refused = null;
      f.wake(token);
    }
    if (step.isDone()) {
      flow = null;
      f.complete(token, null);
    }
    return !step.isDone();
  }

  /** Ends a flow with an error, for all who wait, unless it was abandoned (rule 2). */
  synchronized void end(Flow f, Throwable e) {
    if (flow == f) {
      flow = null;
      f.complete(null, e);
    }
  }

  /** Returns the flow that runs, or null. One whose step is too old is abandoned (rule 6). */
  synchronized Flow running() {
    if (flow != null && flow.age() > MAX_AGE) {
      abandon();
    }
    return flow;
  }

  /**
   * Returns the flow that runs, or begins one, which does not end with the call that began it (rule
   * 2).
   */
  private synchronized Flow join(boolean isForced) {
    if (running() == null) {
      var begun = new Flow(shared, isForced, isForced ? null : refused);
      begun.thread.start();
      flow = begun;
      if (!isForced) {
        refused = null;
      }
    }
    return flow;
  }

  /** Ends the flow that runs, without a result. */
  private void abandon() {
    if (flow != null) {
      flow.thread.interrupt();
      flow.complete(null, null);
      flow = null;
    }
  }

  /** Waits for news, for as long as a step may take. Null: there are none, or of another flow. */
  private static Token await(CompletableFuture<Token> news)
      throws InterruptedException, ExecutionException {
    try {
      return news.get(MAX_AGE + 1, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      return null;
    }
  }
}
