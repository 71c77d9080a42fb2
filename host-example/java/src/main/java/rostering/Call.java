package rostering;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.extism.sdk.chicory.ExtismFunctionException;

/**
 * One call, step by step: docs/contract.md, What a driver does. All of it but {@link #result}
 * belongs to the loop's thread.
 */
final class Call {
  private static final Duration TOKEN_TIMEOUT = Duration.ofSeconds(20);

  /** One byte more than an error shows of a body: the plugin then says that there was more. */
  private static final int MAX_ERROR_BODY = (64 << 10) + 1;

  /** The service's answer, or the token object. */
  record Result(Response response, JsonNode output) {}

  /** For the caller, who leaves by completing it. */
  final CompletableFuture<Result> result = new CompletableFuture<>();

  private final Loop loop;
  private final Supplier<?> now;
  private final Duration timeout;
  private final RequestBody body;

  private Future<?> timer;

  /** A request for the service, or a wait: they end with the caller. */
  private Future<?> pending;

  /** Whether a request for a token or a step of the store is under way: they do not. */
  private boolean detached;

  /** Whether the call timed out when the service had answered. */
  private boolean late;

  private Response answer;

  /** Thrown in place of the plugin's next error. */
  private RosteringException unrepeatable;

  /**
   * @param now gives the time for each {@code resume}; where that is null, it is left out
   * @param timeout zero for none
   * @param body what the plugin does not see of the request, or null
   */
  Call(Loop loop, Supplier<?> now, Duration timeout, BodyPublisher body) {
    this.loop = loop;
    this.now = now;
    this.timeout = timeout;
    this.body = body == null ? null : new RequestBody(body);
  }

  void start(byte[] begin) {
    try {
      if (!timeout.isZero()) {
        timer = loop.runLater(timeout, this::timeOut);
      }
      run(
          () -> {
            if (!result.isDone()) {
              loop.begin(this);
              advance("begin", begin, null);
            }
          });
      result.whenComplete((r, e) -> loop.run(this::leave));
    } catch (RejectedExecutionException e) {
      result.completeExceptionally(Loop.isClosed());
    }
  }

  /** Runs a part of the call on the loop's thread. */
  private void run(Runnable part) {
    loop.run(guarded(part));
  }

  private Runnable guarded(Runnable part) {
    return () -> {
      try {
        part.run();
      } catch (Throwable e) { // the SDK throws StackOverflowError, too
        fail(e);
      }
    };
  }

  private void timeOut() {
    if (pending != null && pending.isDone()) {
      late = true; // the answer is on its way through the loop's queue
    } else {
      result.completeExceptionally(RosteringException.timedOut(timeout));
    }
  }

  /** The caller has its result, or has given up. */
  private void leave() {
    if (pending != null) {
      pending.cancel(true);
    }
    if (!detached) {
      end();
    }
  }

  private void end() {
    if (timer != null) {
      timer.cancel(false);
    }
    loop.end(this);
  }

  private void fail(Throwable e) {
    attach();
    result.completeExceptionally(e);
    end();
  }

  /** After a detached part, if there was one, other calls may have a token, or an error. */
  private void attach() {
    if (detached) {
      detached = false;
      loop.run(loop::wakeAll);
    }
  }

  /** Calls begin or resume. The reason is why a request got no answer, or null. */
  private void advance(String export, byte[] input, Throwable reason) {
    try {
      take(Json.read(loop.plugin.call(export, input), Step.class));
    } catch (ExtismFunctionException e) {
      fail(unrepeatable != null ? unrepeatable : RosteringException.ofPlugin(e.getError(), reason));
    }
  }

  private void resume(Step step, Map<String, ?> outcome, Throwable reason) {
    var input = new HashMap<String, Object>(outcome);
    input.put("flow", step.flow());
    var time = now.get();
    if (time != null) {
      input.put("now", time);
    }
    advance("resume", Json.write(input), reason);
  }

  private void take(Step step) {
    pending = null;
    if (step.isForToken()) {
      detached = true;
      requestToken(step);
    } else if (step.step().equals("store")) {
      detached = true;
      loop.store.take(step).whenComplete((outcome, e) -> run(() -> took(step, outcome, e)));
    } else {
      attach();
      takeWithCaller(step);
    }
  }

  private void takeWithCaller(Step step) {
    if (step.step().equals("done")) {
      result.complete(new Result(answer, step.output()));
      end();
    } else if (result.isDone()) {
      end();
    } else if (late) {
      fail(RosteringException.timedOut(timeout));
    } else if (step.step().equals("wait")) {
      // At random, so that the processes of a fleet do not look in step.
      var seconds = step.seconds() * (1 + ThreadLocalRandom.current().nextDouble() / 2);
      pending = loop.await(this, seconds, guarded(() -> resume(step, Map.of(), null)));
    } else {
      send(step);
    }
  }

  private void requestToken(Step step) {
    var sent = loop.http.send(step, publisher(step));
    var end = loop.runLater(TOKEN_TIMEOUT, () -> sent.cancel(true));
    sent.whenComplete(
        (response, e) ->
            run(
                () -> {
                  end.cancel(false);
                  answered(step, response, e);
                }));
  }

  private void took(Step step, Map<String, ?> outcome, Throwable e) {
    resume(step, e == null ? outcome : Map.of("failed", Http.reason(e)), e);
  }

  private void send(Step step) {
    var sent = loop.http.send(step, publisher(step));
    pending = sent;
    sent.whenComplete(
        (response, e) -> {
          if (step.last() && response != null && isSuccess(response)) {
            result.complete(new Result(Response.of(response), null)); // waits for nobody
          } else {
            run(
                () -> {
                  if (!result.isDone()) {
                    answered(step, response, e);
                  }
                });
          }
        });
  }

  private BodyPublisher publisher(Step step) {
    var text = step.request().body();
    if (text == null) {
      return BodyPublishers.noBody();
    }
    return text.isTextual() ? BodyPublishers.ofString(text.textValue()) : body;
  }

  private static boolean isSuccess(HttpResponse<?> response) {
    return response.statusCode() / 100 == 2;
  }

  /** Hands in the answer to a request, or why there is none. */
  private void answered(Step step, HttpResponse<byte[]> response, Throwable e) {
    var outcome = new HashMap<String, Object>();
    if (response == null) {
      outcome.put("failed", Http.reason(e));
      if (answer != null && body != null && body.failed()) {
        unrepeatable = RosteringException.unrepeatable(e);
      }
    } else {
      outcome.put("status", response.statusCode());
      outcome.put("headers", response.headers().map());
      if (step.isForToken()) {
        outcome.put("body", new String(response.body(), UTF_8));
      } else {
        answer = Response.of(response);
        if (!isSuccess(response)) {
          var length = Math.min(response.body().length, MAX_ERROR_BODY);
          outcome.put("body", new String(response.body(), 0, length, UTF_8));
        }
      }
    }
    resume(step, outcome, e);
  }
}
