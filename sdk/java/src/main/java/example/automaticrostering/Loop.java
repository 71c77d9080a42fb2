package example.automaticrostering;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.CompletableFuture.completedFuture;
import static java.util.concurrent.CompletableFuture.runAsync;
import static java.util.concurrent.CompletableFuture.supplyAsync;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.extism.sdk.chicory.ExtismFunctionException;

/**
 * Makes calls step by step: docs/contract.md, What a driver does. One daemon thread enters the
 * plugin and keeps the state of all calls: so the plugin is never entered twice at once, and no
 * interrupt of a caller reaches it, which the SDK would make a trap of.
 */
final class Loop {
  /** A byte more than the plugin shows: it then says that there was more. */
  private static final int MAX_ERROR_BODY = (64 << 10) + 1;

  /** The service's answer, or the token object. */
  record Result(Response response, JsonNode output) {}

  private final Http http;
  private final StoreSteps store;
  private final Duration defaultTimeout;
  private final ExecutorService thread = Daemons.named("rostering-plugin", 1);
  private final CompletableFuture<Void> closed = new CompletableFuture<>();

  // Of the thread alone, as are the calls but for their results and deadlines.
  private final Set<CompletableFuture<Void>> waitsForCalls = new HashSet<>();
  private Exports plugin;
  private boolean isClosing;
  private int calls;

  Loop(Supplier<Exports> plugin, RosteringOptions options) {
    http = new Http(options.httpClient, options.maxAnswerBytes);
    store = options.store == null ? null : new StoreSteps(options.store);
    defaultTimeout = options.timeout;
    Rostering.join(
        runAsync(
            () -> {
              this.plugin = Exports.open(plugin);
              enter("check", new byte[0]);
            },
            thread));
  }

  /** What this host can do beside requests. */
  List<String> accepts() {
    return store == null ? List.of("wait") : List.of("wait", "store");
  }

  /** Makes a call. Its caller leaves by completing the result. Resume is told the time by now. */
  CompletableFuture<Result> start(byte[] begin, Supplier<?> now, CallOptions options) {
    var call = new Call(now, options);
    supplyAsync(() -> call.begin(begin), thread)
        .thenCompose(Function.identity())
        .whenCompleteAsync(call::end, thread);
    call.deadline.thenRun(call::timeOut);
    call.result.whenCompleteAsync((r, e) -> call.leave(), thread);
    return call.result;
  }

  /** Calls an export that has no steps. */
  CompletableFuture<byte[]> tell(String export, byte[] input) {
    return supplyAsync(() -> enter(export, input), thread);
  }

  private byte[] enter(String export, byte[] input) {
    if (isClosing && !export.equals("resume")) {
      throw new IllegalStateException("the client is closed");
    }
    try {
      return plugin.call(export, input);
    } catch (ExtismFunctionException e) {
      throw RosteringException.ofPlugin(e.getError());
    } catch (Throwable e) { // the SDK throws StackOverflowError, too
      throw new IllegalStateException("the plugin failed: " + e, e);
    }
  }

  /** Ends when the calls begun before have ended, also those whose callers have left. */
  CompletableFuture<Void> close() {
    thread.execute(
        () -> {
          isClosing = true;
          closeIfIdle();
        });
    return closed;
  }

  private void closeIfIdle() {
    if (isClosing && calls == 0) {
      plugin = null;
      closed.complete(null);
    }
  }

  /** Completing the future sooner frees its timer; canceling it would not, before Java 21. */
  private static CompletableFuture<Void> after(long nanos) {
    return new CompletableFuture<Void>().completeOnTimeout(null, nanos, NANOSECONDS);
  }

  private final class Call {
    final CompletableFuture<Result> result = new CompletableFuture<>();
    final CompletableFuture<Void> deadline;
    private final Supplier<?> now;
    private final Duration timeout;
    private final BodyPublisher body;
    private Response answer;

    /** Whether the service has answered, and the plugin has not yet said what that means. */
    private volatile boolean isAnswered;

    /** Ends a request to the service, or a wait. All else goes on when the caller leaves. */
    private Runnable endStep = () -> {};

    Call(Supplier<?> now, CallOptions options) {
      this.now = now;
      body = options.body;
      timeout = options.timeout == null ? defaultTimeout : options.timeout;
      deadline = timeout.isZero() ? new CompletableFuture<>() : after(timeout.toNanos());
    }

    CompletionStage<Result> begin(byte[] input) {
      calls++;
      return take(Json.read(enter("begin", input), Step.class));
    }

    void end(Result r, Throwable e) {
      if (e == null) {
        result.complete(r);
      } else {
        result.completeExceptionally(e.getCause());
      }
      calls--;
      closeIfIdle();
    }

    /**
     * Ends the call for its caller at the deadline, or after the plugin has judged an answer that
     * came before. It does not wait for the thread, which may have much to do.
     */
    void timeOut() {
      if (deadline.isDone() && !isAnswered && !result.isDone()) {
        result.completeExceptionally(RosteringException.timedOut(timeout));
      }
    }

    /** The caller has a result, or wants none. */
    void leave() {
      deadline.complete(null);
      endStep.run();
    }

    private CompletionStage<Result> resume(Step step, Map<String, ?> outcome) {
      if (step.endsWithCaller() && result.isDone()) {
        return completedFuture(null);
      }
      var input = new HashMap<String, Object>(outcome);
      input.put("flow", step.flow());
      var time = now.get();
      if (time != null) {
        input.put("now", time);
      }
      Step next = null;
      try {
        next = Json.read(enter("resume", Json.write(input)), Step.class);
      } finally {
        if (step.isOfSection() && (next == null || !next.isOfSection() && !next.isWait())) {
          waitsForCalls.forEach(wait -> wait.complete(null));
        }
      }
      return take(next);
    }

    private CompletionStage<Result> take(Step step) {
      if (step.step().equals("done")) {
        return completedFuture(new Result(answer, step.output()));
      }
      isAnswered = false;
      timeOut();
      if (step.endsWithCaller() && result.isDone()) {
        return completedFuture(null);
      }
      switch (step.step()) {
        case "store":
          return then(
              store.use(step),
              (outcome, e) -> resume(step, e == null ? outcome : Map.of("failed", Http.reason(e))));
        case "wait":
          var wait = startWait(step);
          return then(
              wait,
              (nothing, e) -> {
                waitsForCalls.remove(wait);
                return resume(step, Map.of());
              });
        default:
          return then(send(step), (response, e) -> answered(step, response, e));
      }
    }

    /** No end of a section is missed between the step and its wait: it would be on this thread. */
    private CompletableFuture<Void> startWait(Step step) {
      // At random, so that a fleet does not look in step.
      var random = step.isForCall() ? 0 : ThreadLocalRandom.current().nextDouble() / 2;
      var wait = after((long) (step.seconds() * (1 + random) * 1e9));
      if (step.isForCall()) {
        waitsForCalls.add(wait);
      }
      endStep = () -> wait.complete(null);
      return wait;
    }

    private CompletableFuture<HttpResponse<byte[]>> send(Step step) {
      var sent = http.send(step, body(step));
      if (step.isForToken()) {
        return sent;
      }
      endStep = () -> sent.cancel(true);
      return sent.thenApply(
          response -> {
            isAnswered = true;
            if (step.last() && isSuccess(response)) {
              result.complete(new Result(Response.of(response), null)); // waits for nobody
            }
            return response;
          });
    }

    private BodyPublisher body(Step step) {
      var text = step.request().body();
      if (text == null) {
        return BodyPublishers.noBody();
      }
      return text.isTextual() ? BodyPublishers.ofString(text.textValue()) : body;
    }

    /** Hands in the answer to a request, or why it failed. */
    private CompletionStage<Result> answered(
        Step step, HttpResponse<byte[]> response, Throwable e) {
      if (e != null) {
        return resume(step, Map.of("failed", Http.reason(e)));
      }
      var outcome = new HashMap<String, Object>();
      outcome.put("status", response.statusCode());
      outcome.put("headers", response.headers().map());
      if (step.isForToken()) {
        outcome.put("body", new String(response.body(), UTF_8));
      } else {
        answer = Response.of(response);
        if (response.statusCode() == 401 && !Http.isRepeatable(body)) {
          outcome.put("repeatable", false);
        }
        if (!isSuccess(response)) {
          var length = Math.min(response.body().length, MAX_ERROR_BODY);
          outcome.put("body", new String(response.body(), 0, length, UTF_8));
        }
      }
      return resume(step, outcome);
    }

    /** Goes on, on the thread. */
    private <T> CompletionStage<Result> then(
        CompletionStage<T> stage, BiFunction<T, Throwable, CompletionStage<Result>> next) {
      return stage.handleAsync(next, thread).thenCompose(Function.identity());
    }
  }

  private static boolean isSuccess(HttpResponse<?> response) {
    return response.statusCode() / 100 == 2;
  }
}
