package example.automaticrostering;

import static java.util.concurrent.CompletableFuture.completedFuture;
import static java.util.concurrent.CompletableFuture.failedFuture;
import static java.util.concurrent.CompletableFuture.supplyAsync;

import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * One call, carried out step by step: docs/contract.md, What a driver does. Whatever needs the
 * plugin runs on the plugin's thread; a call with a kept step does not need it.
 */
final class Call {
  /** The service's response, or the token. */
  record Result(Response response, Token token) {}

  final CompletableFuture<Result> result = new CompletableFuture<>();
  private final Driver driver;
  private final Beginning beginning;
  private final List<String> accepts;
  private final long timeout;
  private final BodyPublisher body;
  private final long deadline;
  private Response response;
  private Throwable failure;

  /** Whether the service has responded, and the plugin has not yet judged that. */
  private volatile boolean hasResponse;

  /** Whether it is in a section, which continues without its caller, but not in a closed client. */
  private boolean isInSection;

  private CompletableFuture<?> tokenRequest;

  Call(Driver driver, Beginning beginning, List<String> accepts, long timeout, BodyPublisher body) {
    this.driver = driver;
    this.beginning = beginning;
    this.accepts = accepts;
    this.timeout = timeout;
    this.body = body;
    deadline = Deadlines.after(timeout);
  }

  /** Starts the call. Its caller leaves it by completing the future. */
  CompletableFuture<Result> start() {
    return start(step -> follow(() -> take(step)));
  }

  /**
   * Makes the call. The request of a kept step is sent in this thread, because the JDK's client
   * takes several times as long to send one in its own threads.
   */
  Result make() throws InterruptedException {
    return Client.await(start(this::sendHere));
  }

  private CompletableFuture<Result> start(Consumer<Step> send) {
    var time = driver.now();
    if (!driver.add(this)) {
      result.completeExceptionally(Driver.closed());
      return result;
    }
    var step = driver.plugin.kept(beginning, time);
    if (step != null && step.isDone()) {
      end(new Result(null, step.token()), null);
      return result;
    }
    driver.deadlines.add(deadline);
    result.whenComplete((r, e) -> driver.left());
    if (step == null) {
      driver.plugin.execute(() -> follow(() -> begin(time)));
    } else {
      send.accept(step);
    }
    return result;
  }

  private void sendHere(Step step) {
    var here = new Interruptible();
    result.whenComplete((r, e) -> here.interrupt());
    CompletionStage<Result> run;
    try {
      run = received(step, here.run(() -> driver.http.send(step, body)), null);
    } catch (InterruptedException e) {
      driver.remove(this);
      if (!here.isInterrupted()) {
        Thread.currentThread().interrupt(); // who waits for the result sees it
      }
      return;
    } catch (Throwable e) {
      run = received(step, null, e);
    }
    run.whenComplete(this::end);
  }

  /** Ends the call with the result of a stage. */
  private void follow(Supplier<CompletionStage<Result>> run) {
    CompletionStage<Result> stage;
    try {
      stage = run.get();
    } catch (Throwable e) {
      stage = failedFuture(e);
    }
    stage.whenComplete(this::end);
  }

  private void end(Result r, Throwable e) {
    if (e == null) {
      result.complete(r);
    } else {
      result.completeExceptionally(Http.unwrapped(e));
    }
    driver.remove(this);
  }

  /** The time of {@link Deadlines#now} at which the call times out. */
  long deadline() {
    return deadline;
  }

  /**
   * Ends the call for its caller at the deadline, or after the plugin has judged a response that
   * came before. It does not wait for the plugin's thread, which may be busy.
   */
  void timeOut() {
    if (deadline <= Deadlines.now() && !hasResponse && !result.isDone()) {
      result.completeExceptionally(
          RosteringException.ofNetwork(
              "the call timed out after " + timeout / 1e9 + " s: retry, or raise its timeout",
              true));
    }
  }

  private CompletionStage<Result> begin(long time) {
    var step = driver.plugin.begin(beginning, accepts, time);
    var run = take(step);
    if (step.renew()) {
      driver.renew();
    }
    return run;
  }

  private CompletionStage<Result> resume(Step step, Map<String, ?> outcome) {
    if (step.endsWithCaller() && result.isDone()) {
      return completedFuture(null);
    }
    var input = new HashMap<String, Object>(outcome);
    input.put("flow", step.flow());
    input.put("now", driver.now());
    Step next = null;
    try {
      next = Step.ofJson(driver.plugin.call("resume", Json.write(input), response, failure));
    } finally {
      if (step.isOfSection() && (next == null || !next.isOfSection() && !next.isWait())) {
        driver.waitsForCalls.forEach(wait -> wait.complete(null));
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
    if (step.isDone()) {
      return completedFuture(new Result(response, step.token()));
    }
    hasResponse = false;
    isInSection = step.isOfSection();
    timeOut();
    if (isInSection) {
      driver.closeIfIdle();
    }
    if (driver.isClosed() || step.endsWithCaller() && result.isDone()) {
      return completedFuture(null);
    }
    switch (step.step()) {
      case "store":
        return then(driver.store.use(step), (outcome, e) -> resume(step, outcome));
      case "wait":
        var wait = startWait(step);
        return then(
            wait,
            (nothing, e) -> {
              driver.waitsForCalls.remove(wait);
              return resume(step, Map.of());
            });
      default:
        return step.isForToken() ? requestToken(step) : send(step);
    }
  }

  /** Sections end on this thread, so the wait misses none. */
  private CompletableFuture<Void> startWait(Step step) {
    // Jitter, against a thundering herd.
    var jitter = step.isForCall() ? 0 : ThreadLocalRandom.current().nextDouble() / 2;
    var wait = Timeout.after((long) (step.seconds() * (1 + jitter) * 1e9));
    if (step.isForCall()) {
      driver.waitsForCalls.add(wait);
    }
    result.whenComplete((r, e) -> wait.complete(null));
    return wait;
  }

  private CompletionStage<Result> requestToken(Step step) {
    var sent = driver.http.requestToken(step);
    tokenRequest = sent;
    return then(sent, (received, e) -> e == null ? responded(step, received) : fail(step, e));
  }

  /** Reports whether all that is left of the call is a section that nobody waits for. */
  boolean isAbandoned() {
    return isInSection && result.isDone();
  }

  /** Cancels its token request. */
  void giveUp() {
    if (tokenRequest != null) {
      tokenRequest.cancel(true);
    }
  }

  private CompletionStage<Result> send(Step step) {
    var sent = driver.http.sendAsync(step, body);
    result.whenComplete((r, e) -> sent.cancel(true));
    return sent.handle((received, e) -> received(step, received, e))
        .thenCompose(Function.identity());
  }

  /** Ends the call with the response of the service, or passes that to the plugin. */
  private CompletionStage<Result> received(
      Step step, HttpResponse<byte[]> received, Throwable failure) {
    hasResponse = failure == null;
    if (hasResponse && step.last() && Http.isSuccess(received.statusCode())) {
      return completedFuture(new Result(Response.of(received), null));
    }
    return supplyAsync(
            () -> failure == null ? responded(step, received) : fail(step, failure), driver.plugin)
        .thenCompose(Function.identity());
  }

  /** Passes a response to the plugin. */
  private CompletionStage<Result> responded(Step step, HttpResponse<byte[]> http) {
    if (result.isDone() && step.endsWithCaller()) {
      return completedFuture(null); // as resume would, but cheaper
    }
    failure = null;
    var received = Response.of(http);
    var outcome = new HashMap<String, Object>();
    outcome.put("status", received.status());
    outcome.put("headers", received.headers().map());
    if (step.isForToken() || !Http.isSuccess(received.status())) {
      outcome.put("body", received.text());
    }
    if (!step.isForToken()) {
      response = received;
      if (received.status() == 401 && !Parts.isRepeatable(body)) {
        outcome.put("repeatable", false);
      }
    }
    return resume(step, outcome);
  }

  /** Continues on the plugin's thread. */
  private <T> CompletionStage<Result> then(
      CompletionStage<T> stage, BiFunction<T, Throwable, CompletionStage<Result>> next) {
    return stage.handleAsync(next, driver.plugin).thenCompose(Function.identity());
  }
}
