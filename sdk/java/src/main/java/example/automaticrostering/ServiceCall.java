package example.automaticrostering;

import static java.util.concurrent.CompletableFuture.completedFuture;
import static java.util.concurrent.CompletableFuture.failedFuture;

import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** A call of the service. Its error is the plugin's explanation of the last response. */
final class ServiceCall extends Loop<byte[]> {
  private final Call<Response> call;
  private final Map<String, ?> input;
  private final BodyPublisher body;
  private final boolean isBlocking;
  private Request request;

  /**
   * Creates a call that has not started. If it is blocking, the executor is its caller's thread.
   */
  ServiceCall(
      Driver driver, Map<String, ?> input, BodyPublisher body, long timeout, Executor executor) {
    super(driver, body, executor);
    this.call = new Call<>(driver, timeout);
    this.input = input;
    this.body = body;
    this.isBlocking = executor instanceof CallerThread;
  }

  CompletableFuture<Response> start() {
    return call.start(
        () ->
            driver
                .request(input)
                .thenCompose(
                    r -> {
                      request = r;
                      return run();
                    })
                .thenCompose(this::judge));
  }

  @Override
  CompletableFuture<Token> token(String refused) {
    call.continues();
    return driver.holder.token(refused);
  }

  @Override
  CompletableFuture<HttpResponse<byte[]>> send(Token token) {
    if (call.result.isDone()) {
      return new CompletableFuture<>(); // nobody waits for it
    }
    var http = request.with(token, body);
    CompletableFuture<HttpResponse<byte[]>> response;
    if (isBlocking) {
      var here = new Interruptible();
      call.result.whenComplete((r, e) -> here.interrupt());
      response = CallerThread.run(() -> here.run(() -> driver.http.send(http)));
    } else {
      response = driver.http.sendAsync(http);
      var sending = response;
      call.result.whenComplete((r, e) -> sending.cancel(true));
    }
    return response
        .whenComplete(
            (r, e) -> {
              if (e == null) {
                call.responded();
              }
            })
        .exceptionallyCompose(e -> explainFailure(Http.unwrapped(e)));
  }

  private CompletableFuture<HttpResponse<byte[]>> explainFailure(Throwable e) {
    if (call.result.isDone()) {
      return failedFuture(e); // nobody waits for it
    }
    if (e instanceof Http.TooLarge) {
      return failedFuture(RosteringException.ofNetwork(e.getMessage(), false));
    }
    return explain(Map.of("failed", Http.reason(e)), null, e).thenCompose(x -> failedFuture(x));
  }

  private CompletableFuture<Response> judge(HttpResponse<byte[]> last) {
    var response = Response.of(last);
    if (verdict == null && Http.isSuccess(response.status())) {
      return completedFuture(response);
    }
    var error = verdict == null ? null : Http.unwrapped(verdict);
    var refusal = error instanceof RosteringException r && r.isUnauthorized() ? r : null;
    if (error != null && refusal == null) {
      return failedFuture(error);
    }
    return explain(response.fields(), response, null)
        .thenCompose(e -> failedFuture(refusal == null ? e : refusal.of(e)));
  }

  private CompletableFuture<RuntimeException> explain(
      Map<String, ?> outcome, Response response, Throwable cause) {
    var x = new HashMap<String, Object>(outcome);
    x.put("tokens", List.copyOf(sent));
    return driver.plugin.supply(
        () -> {
          var error = driver.plugin.call("explain", Json.write(x), null);
          return RosteringException.ofPlugin(error, response, cause);
        });
  }
}
