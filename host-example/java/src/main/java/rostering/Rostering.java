package rostering;

import com.dylibso.chicory.log.Logger;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.extism.sdk.chicory.ExtismFunctionException;

/**
 * A client of Automatic Rostering. Open one and share it: requests of many threads are under way at
 * once, and share one token.
 *
 * <p>A call that fails throws {@link RosteringException}; after {@link #close}, and if the plugin
 * itself fails, IllegalStateException. A blocking method whose thread is interrupted ends the
 * call's request and throws InterruptedException. Canceling or completing the future of an
 * asynchronous method does the same to its call; what depends on such a future runs in the common
 * pool. In neither case does a request for a token end that other calls may be waiting for.
 */
public final class Rostering implements AutoCloseable {
  final Loop loop;
  private final Duration timeout;

  Rostering(RosteringConfig config, RosteringOptions options, Logger log) {
    var http = new Http(options.httpClient, options.maxAnswerBytes);
    loop = new Loop(Plugins.open(config, options, log), http, options.store);
    timeout = options.timeout;
  }

  public static Rostering open(RosteringConfig config) {
    return open(config, new RosteringOptions());
  }

  /**
   * Makes a client. It sends nothing: a wrong config is an error of the first call.
   *
   * @throws RuntimeException of the SDK if it cannot load the plugin
   */
  public static Rostering open(RosteringConfig config, RosteringOptions options) {
    return new Rostering(config, options, new PluginLog());
  }

  /** The cached token, or a new one, for requests of your own. */
  public Token getToken() throws InterruptedException {
    return getToken(TokenInput.cached());
  }

  public Token getToken(TokenInput input) throws InterruptedException {
    return await(start("get_token", input), Rostering::token);
  }

  public CompletableFuture<Token> getTokenAsync() {
    return getTokenAsync(TokenInput.cached());
  }

  public CompletableFuture<Token> getTokenAsync(TokenInput input) {
    return handOut(start("get_token", input), Rostering::token);
  }

  /** Lists the jobs of the config's customer and user. */
  public Response listJobs() throws InterruptedException {
    return listJobs(JobsInput.ofConfig());
  }

  public Response listJobs(JobsInput input) throws InterruptedException {
    return await(start("list_jobs", input), Call.Result::response);
  }

  public CompletableFuture<Response> listJobsAsync() {
    return listJobsAsync(JobsInput.ofConfig());
  }

  public CompletableFuture<Response> listJobsAsync(JobsInput input) {
    return handOut(start("list_jobs", input), Call.Result::response);
  }

  /** Sends a request to another path of the service. */
  public Response sendRequest(ServiceRequest request) throws InterruptedException {
    return await(start("send_request", request), Call.Result::response);
  }

  public CompletableFuture<Response> sendRequestAsync(ServiceRequest request) {
    return handOut(start("send_request", request), Call.Result::response);
  }

  /**
   * Takes a token that {@link #getToken} returned, here or elsewhere, so that none is requested. A
   * token of another client, scope or token URL, or an expired one, is a {@code TOKEN_MISMATCH}.
   */
  public void setToken(Token token) throws InterruptedException {
    var input = token.fields();
    input.put("now", now());
    await(loop.tell("set_token", Json.write(input)), Function.identity());
  }

  /** Forgets the token and the back-off. */
  public void clearToken() throws InterruptedException {
    await(loop.tell("clear_token", new byte[0]), Function.identity());
  }

  /**
   * Waits for the calls that were begun before, then frees the plugin; later calls throw
   * IllegalStateException. If the thread is interrupted, it waits no longer, and its interrupt
   * status is set; the calls go on.
   */
  @Override
  public void close() {
    try {
      loop.close().get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      throw new AssertionError(e); // it never fails
    }
  }

  private static long now() {
    return Instant.now().getEpochSecond();
  }

  private CompletableFuture<Call.Result> start(String call, CallInput<?> input) {
    var given = input.fields.get("now");
    Supplier<?> now = given == null ? Rostering::now : () -> given;
    var fields = new HashMap<>(input.fields);
    fields.put("now", now.get());
    var begin = Map.of("call", call, "accepts", loop.accepts(), "input", fields);
    var bound = input.timeout == null ? timeout : input.timeout;
    return loop.start(Json.write(begin), now, bound, input.body());
  }

  private static Token token(Call.Result result) {
    return Json.read(result.output(), Token.Fields.class).token();
  }

  /** Waits for a call. An exception is given the stack of the caller. */
  private static <R, T> T await(CompletableFuture<R> call, Function<R, T> read)
      throws InterruptedException {
    try {
      return read.apply(call.get());
    } catch (InterruptedException e) {
      call.cancel(true);
      throw e;
    } catch (ExecutionException e) {
      throw (RuntimeException) explained(e.getCause()).fillInStackTrace();
    }
  }

  /** Keeps what depends on the future from running on the loop's thread. */
  private static <R, T> CompletableFuture<T> handOut(
      CompletableFuture<R> call, Function<R, T> read) {
    var future = new CompletableFuture<T>();
    call.whenCompleteAsync(
        (r, e) -> {
          if (e == null) {
            future.complete(read.apply(r));
          } else {
            future.completeExceptionally(explained(e));
          }
        });
    future.whenComplete((t, e) -> call.cancel(true));
    return future;
  }

  private static RuntimeException explained(Throwable thrown) {
    if (thrown instanceof ExtismFunctionException e) {
      return RosteringException.ofPlugin(e.getError(), null);
    }
    if (thrown instanceof RosteringException || thrown instanceof IllegalStateException) {
      return (RuntimeException) thrown;
    }
    return new IllegalStateException("the plugin failed: " + thrown.getMessage(), thrown);
  }
}
