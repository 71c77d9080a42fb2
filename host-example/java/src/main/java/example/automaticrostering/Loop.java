package example.automaticrostering;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.CompletableFuture.completedFuture;
import static java.util.concurrent.CompletableFuture.supplyAsync;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.extism.sdk.chicory.ExtismFunctionException;
import org.extism.sdk.chicory.Plugin;

/**
 * Makes calls step by step: docs/contract.md, What a driver does. One daemon thread enters the
 * plugin and keeps the state of all calls: so the plugin is never entered twice at once, and no
 * interrupt of a caller reaches it, which the SDK would make a trap of.
 */
final class Loop {
  private static final int STORE_TIMEOUT = 1;

  /** More than are busy, unless the store hangs: what waits for them then times out. */
  private static final int STORE_THREADS = 4;

  /** A byte more than the plugin shows: it then says that there was more. */
  private static final int MAX_ERROR_BODY = (64 << 10) + 1;

  /** The service's answer, or the token object. */
  record Result(Response response, JsonNode output) {}

  private final Http http;
  private final Store store;
  private final Duration defaultTimeout;
  private final ExecutorService thread = daemons("rostering-plugin", 1);
  private final ExecutorService storeThreads = daemons("rostering-store", STORE_THREADS);
  private final CompletableFuture<Void> closed = new CompletableFuture<>();

  // Of the thread alone, as are the calls but for their results.
  private Plugin plugin;
  private boolean isClosing;
  private int calls;

  Loop(Plugin plugin, RosteringOptions options) {
    this.plugin = plugin;
    http = new Http(options.httpClient, options.maxAnswerBytes);
    store = options.store;
    defaultTimeout = options.timeout;
  }

  /** Threads that end when they have been idle for ten seconds. */
  private static ExecutorService daemons(String name, int threads) {
    var queue = new LinkedBlockingQueue<Runnable>();
    var executor = new ThreadPoolExecutor(threads, threads, 10, SECONDS, queue);
    executor.allowCoreThreadTimeOut(true);
    executor.setThreadFactory(
        task -> {
          var thread = new Thread(task, name);
          thread.setDaemon(true);
          return thread;
        });
    return executor;
  }

  /** What this host can do beside requests. */
  List<String> accepts() {
    return store == null ? List.of("wait") : List.of("wait", "store");
  }

  /** Makes a call. Its caller leaves by completing the result. Resume is told the time by now. */
  CompletableFuture<Result> start(byte[] begin, Supplier<?> now, CallOptions options) {
    var timeout = options.timeout == null ? defaultTimeout : options.timeout;
    var call = new Call(now, options.body);
    var timer = timeout.isZero() ? new CompletableFuture<Void>() : after(timeout.toNanos());
    timer.thenRunAsync(() -> call.timeOut(timeout), thread);
    supplyAsync(() -> call.begin(begin), thread)
        .thenCompose(Function.identity())
        .whenCompleteAsync(call::end, thread);
    call.result.whenCompleteAsync(
        (r, e) -> {
          timer.cancel(false);
          call.pending.cancel(true);
        },
        thread);
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

  private static CompletableFuture<Void> after(long nanos) {
    return new CompletableFuture<Void>().completeOnTimeout(null, nanos, NANOSECONDS);
  }

  private Map<String, ?> useStore(Step step) {
    try {
      switch (step.op()) {
        case "get":
          return Collections.singletonMap("value", store.get(step.key()));
        case "add":
          return Map.of("added", store.add(step.key(), step.value(), step.ttl()));
        default:
          store.set(step.key(), step.value(), step.ttl());
          return Map.of();
      }
    } catch (Exception e) {
      throw new CompletionException(e);
    }
  }

  private final class Call {
    final CompletableFuture<Result> result = new CompletableFuture<>();
    private final Supplier<?> now;
    private final BodyPublisher body;
    private Response answer;

    /** A request to the service, or a wait. It ends with the caller; all else goes on. */
    CompletableFuture<?> pending = new CompletableFuture<>();

    Call(Supplier<?> now, BodyPublisher body) {
      this.now = now;
      this.body = body;
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

    void timeOut(Duration timeout) {
      if (pending.isDone()) {
        thread.execute(() -> timeOut(timeout)); // after the answer that has come
      } else {
        result.completeExceptionally(RosteringException.timedOut(timeout));
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
      return take(Json.read(enter("resume", Json.write(input)), Step.class));
    }

    private CompletionStage<Result> take(Step step) {
      pending = new CompletableFuture<>();
      if (step.endsWithCaller() && result.isDone()) {
        return completedFuture(null);
      }
      switch (step.step()) {
        case "done":
          return completedFuture(new Result(answer, step.output()));
        case "store":
          var used = new CompletableFuture<Map<String, ?>>();
          var use =
              storeThreads.submit(() -> used.completeAsync(() -> useStore(step), Runnable::run));
          used.orTimeout(STORE_TIMEOUT, SECONDS)
              .whenComplete((outcome, e) -> use.cancel(e instanceof TimeoutException));
          return then(
              used,
              (outcome, e) -> resume(step, e == null ? outcome : Map.of("failed", Http.reason(e))));
        case "wait":
          // At random, so that a fleet does not look in step.
          var seconds = step.seconds() * (1 + ThreadLocalRandom.current().nextDouble() / 2);
          var wait = after((long) (seconds * 1e9));
          pending = wait;
          return then(wait, (nothing, e) -> resume(step, Map.of()));
        default:
          return then(send(step), (response, e) -> answered(step, response, e));
      }
    }

    private CompletableFuture<HttpResponse<byte[]>> send(Step step) {
      var sent = http.send(step, body(step));
      if (step.endsWithCaller()) {
        pending = sent;
      }
      return sent.thenApply(
          response -> {
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
