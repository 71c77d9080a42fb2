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
import java.util.concurrent.CancellationException;
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
 * interrupt of a caller reaches it, which the SDK would turn into a trap.
 */
final class Loop {
  /** As a number of nanoseconds, three centuries. */
  static final long NO_TIMEOUT = Long.MAX_VALUE;

  /** A byte more than the plugin shows: it then says that there was more. */
  private static final int MAX_ERROR_BODY = (64 << 10) + 1;

  /** The service's response, or the token object. */
  record Result(Response response, JsonNode output) {}

  private final Http http;
  private final StoreSteps store;
  private final ExecutorService thread = Daemons.named("rostering-plugin", 1);
  private final CompletableFuture<Void> closed = new CompletableFuture<>();

  // Of the thread alone, as are the calls but for their results and deadlines.
  private final Set<CompletableFuture<Void>> waitsForCalls = new HashSet<>();
  private final Set<Call> calls = new HashSet<>();
  private Exports plugin;
  private boolean isClosing;

  Loop(Supplier<Exports> plugin, RosteringClientBuilder options) {
    http = new Http(options.httpClient, options.maxBody);
    store = options.store == null ? null : new StoreSteps(options.store);
    Client.join(
        runAsync(
            () -> {
              this.plugin = Exports.open(plugin);
              enter("check", new byte[0], null);
              loadClasses();
            },
            thread));
  }

  /** Loads what calls need, which takes so long that the first ones would miss their timeouts. */
  private static void loadClasses() {
    Json.read(Json.write(Map.of("step", "done", "now", 1L)), Step.class);
    RosteringException.ofNetwork("", true);
  }

  /** Returns the nanoseconds of a timeout; one of centuries is none. */
  static long nanos(Duration timeout) {
    if (timeout.isZero() || timeout.isNegative()) {
      throw new IllegalArgumentException("a timeout must be positive, not " + timeout);
    }
    try {
      return timeout.toNanos();
    } catch (ArithmeticException e) {
      return NO_TIMEOUT;
    }
  }

  /** What this host can do in addition to requests. */
  List<String> accepts() {
    return store == null ? List.of("wait") : List.of("wait", "store");
  }

  /** Makes a call. Its caller leaves by completing the result. Resume gets the time from now. */
  CompletableFuture<Result> start(
      Supplier<byte[]> begin, Supplier<?> now, long timeout, BodyPublisher body) {
    var call = new Call(now, timeout, body);
    call.deadline.thenRun(call::timeOut);
    call.result.whenComplete((r, e) -> call.leave());
    thread.execute(() -> call.run(begin));
    return call.result;
  }

  /** Calls an export that has no steps. */
  CompletableFuture<byte[]> tell(String export, byte[] input) {
    return supplyAsync(() -> enter(export, input, null), thread);
  }

  /** Calls an export. What is known of a failed step explains an error that it leads to. */
  private byte[] enter(String export, byte[] input, Call call) {
    if (closed.isDone() || isClosing && !export.equals("resume")) {
      throw new IllegalStateException("the client is closed");
    }
    try {
      return plugin.call(export, input);
    } catch (ExtismFunctionException e) {
      throw RosteringException.ofPlugin(
          e.getError(), call == null ? null : call.response, call == null ? null : call.failure);
    } catch (Throwable e) { // the SDK throws StackOverflowError, too
      throw new IllegalStateException("the plugin failed: " + e, e);
    }
  }

  /** Ends when the calls that began before have ended. */
  CompletableFuture<Void> close() {
    thread.execute(
        () -> {
          isClosing = true;
          closeIfIdle();
        });
    return closed;
  }

  /** Ends the calls that a close waits for. */
  void cancel() {
    thread.execute(
        () -> {
          for (var call : calls) {
            call.result.completeExceptionally(new CancellationException("the client is closed"));
          }
          free();
        });
  }

  /** Ends token requests that no caller waits for; what else has no caller is short. */
  private void closeIfIdle() {
    if (isClosing && calls.stream().allMatch(call -> call.isTokenRequest && call.result.isDone())) {
      free();
    }
  }

  private void free() {
    plugin = null;
    closed.complete(null);
    calls.forEach(call -> call.endStep.run());
  }

  /** Completing the future sooner frees its timer; canceling it would not, before Java 21. */
  private static CompletableFuture<Void> after(long nanos) {
    var timer = new CompletableFuture<Void>();
    return nanos == NO_TIMEOUT ? timer : timer.completeOnTimeout(null, nanos, NANOSECONDS);
  }

  private final class Call {
    final CompletableFuture<Result> result = new CompletableFuture<>();
    final CompletableFuture<Void> deadline;
    private final Supplier<?> now;
    private final long timeout;
    private final BodyPublisher body;
    private Response response;
    private Throwable failure;

    /** Whether the service has responded, and the plugin has not yet judged that. */
    private volatile boolean isAnswered;

    private volatile boolean isEnded;

    /** A section continues without its caller, but not a token request without a client. */
    private boolean isTokenRequest;

    private Runnable endStep = () -> {};

    Call(Supplier<?> now, long timeout, BodyPublisher body) {
      this.now = now;
      this.timeout = timeout;
      this.body = body;
      deadline = after(timeout);
    }

    void run(Supplier<byte[]> begin) {
      CompletionStage<Result> run;
      try {
        var step = Json.read(enter("begin", begin.get(), this), Step.class);
        calls.add(this);
        run = take(step);
      } catch (Throwable e) {
        run = CompletableFuture.failedFuture(e);
      }
      run.whenComplete(this::end); // on the thread, as each step's end is
    }

    private void end(Result r, Throwable e) {
      isEnded = true;
      if (e == null) {
        result.complete(r);
      } else {
        result.completeExceptionally(Http.unwrapped(e));
      }
      calls.remove(this);
      closeIfIdle();
    }

    /**
     * Ends the call for its caller at the deadline, or after the plugin has judged a response that
     * came before. It does not wait for the thread, which may have much to do.
     */
    void timeOut() {
      if (deadline.isDone() && !isAnswered && !result.isDone()) {
        result.completeExceptionally(
            RosteringException.ofNetwork("the call timed out after " + timeout / 1e9 + " s", true));
      }
    }

    /** The caller has a result, or wants none. What the thread does next anyway sees that. */
    void leave() {
      deadline.complete(null);
      if (!isAnswered && !isEnded) {
        thread.execute(
            () -> {
              if (!isTokenRequest) {
                endStep.run();
              }
              closeIfIdle();
            });
      }
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
        next = Json.read(enter("resume", Json.write(input), this), Step.class);
      } finally {
        if (step.isOfSection() && (next == null || !next.isOfSection() && !next.isWait())) {
          waitsForCalls.forEach(wait -> wait.complete(null));
        }
      }
      return take(next);
    }

    private CompletionStage<Result> fail(Step step, Throwable e) {
      failure = Http.unwrapped(e);
      if (failure instanceof Http.TooLarge) {
        throw RosteringException.ofNetwork(failure.getMessage(), false);
      }
      return resume(step, Map.of("failed", Http.reason(failure)));
    }

    private CompletionStage<Result> take(Step step) {
      if (step.step().equals("done")) {
        return completedFuture(new Result(response, step.output()));
      }
      isAnswered = false;
      isTokenRequest = step.isForToken();
      endStep = () -> {};
      timeOut();
      closeIfIdle();
      if (closed.isDone() || step.endsWithCaller() && result.isDone()) {
        return completedFuture(null);
      }
      switch (step.step()) {
        case "store":
          return then(store.use(step), (outcome, e) -> resume(step, outcome));
        case "wait":
          var wait = startWait(step);
          return then(
              wait,
              (nothing, e) -> {
                waitsForCalls.remove(wait);
                return resume(step, Map.of());
              });
        default:
          return then(send(step), (sent, e) -> e == null ? responded(step, sent) : fail(step, e));
      }
    }

    /** No end of a section is missed between the step and its wait: it would be on this thread. */
    private CompletableFuture<Void> startWait(Step step) {
      // At random, against a thundering herd.
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
      endStep = () -> sent.cancel(true);
      if (isTokenRequest) {
        return sent;
      }
      return sent.thenApply(
          received -> {
            isAnswered = true;
            if (step.last() && isSuccess(received)) {
              result.complete(new Result(Response.of(received), null)); // waits for nobody
            }
            return received;
          });
    }

    private BodyPublisher body(Step step) {
      var text = step.request().body();
      if (text == null) {
        return BodyPublishers.noBody();
      }
      return text.isTextual() ? BodyPublishers.ofString(text.textValue()) : body;
    }

    /** Passes a response to the plugin. */
    private CompletionStage<Result> responded(Step step, HttpResponse<byte[]> received) {
      if (result.isDone() && step.endsWithCaller()) {
        return completedFuture(null); // as resume would, for less
      }
      failure = null;
      var outcome = new HashMap<String, Object>();
      outcome.put("status", received.statusCode());
      outcome.put("headers", received.headers().map());
      if (step.isForToken()) {
        outcome.put("body", new String(received.body(), UTF_8));
      } else {
        response = Response.of(received);
        if (received.statusCode() == 401 && !Parts.isRepeatable(body)) {
          outcome.put("repeatable", false);
        }
        if (!isSuccess(received)) {
          var length = Math.min(received.body().length, MAX_ERROR_BODY);
          outcome.put("body", new String(received.body(), 0, length, UTF_8));
        }
      }
      return resume(step, outcome);
    }

    /** Continues on the thread. */
    private <T> CompletionStage<Result> then(
        CompletionStage<T> stage, BiFunction<T, Throwable, CompletionStage<Result>> next) {
      return stage.handleAsync(next, thread).thenCompose(Function.identity());
    }
  }

  private static boolean isSuccess(HttpResponse<?> response) {
    return response.statusCode() / 100 == 2 || response.statusCode() == 304;
  }
}
