package rostering;

import com.dylibso.chicory.log.Logger;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A client of Automatic Rostering. Open one and share it: threads send requests concurrently, with
 * one token.
 *
 * <p>A call that fails throws {@link RosteringException}; after {@link #close}, and if the plugin
 * itself fails, IllegalStateException. A blocking method whose thread is interrupted ends the
 * call's request and throws InterruptedException. Canceling or completing the future of an
 * asynchronous method does the same to its call; what depends on such a future runs in the common
 * pool. A request for a token does not end with its caller: others may be waiting for it.
 */
public final class Rostering implements AutoCloseable {
  final Loop loop;

  Rostering(RosteringConfig config, RosteringOptions options, Logger log) {
    loop = new Loop(options.open(config, log), options);
  }

  public static Rostering open(RosteringConfig config) {
    return open(config, new RosteringOptions());
  }

  /** Makes a client. It sends nothing: a wrong config is an error of the first call. */
  public static Rostering open(RosteringConfig config, RosteringOptions options) {
    return new Rostering(config, options, new PluginLog());
  }

  /** The cached token, or a new one, for requests of your own. */
  public Token getToken() throws InterruptedException {
    return getToken(new CallOptions());
  }

  public Token getToken(CallOptions options) throws InterruptedException {
    return await(start("get_token", options), Rostering::token);
  }

  public CompletableFuture<Token> getTokenAsync(CallOptions options) {
    return handOut(start("get_token", options), Rostering::token);
  }

  /** Lists the jobs of the config's customer and user, or of those in the options. */
  public Response listJobs() throws InterruptedException {
    return listJobs(new CallOptions());
  }

  public Response listJobs(CallOptions options) throws InterruptedException {
    return await(start("list_jobs", options), Loop.Result::response);
  }

  public CompletableFuture<Response> listJobsAsync(CallOptions options) {
    return handOut(start("list_jobs", options), Loop.Result::response);
  }

  /** Sends a request to a path under base_url. It begins with a slash, and may have a query. */
  public Response sendRequest(String path, CallOptions options) throws InterruptedException {
    return await(start("send_request", options, path), Loop.Result::response);
  }

  public CompletableFuture<Response> sendRequestAsync(String path, CallOptions options) {
    return handOut(start("send_request", options, path), Loop.Result::response);
  }

  /**
   * Takes a token that {@link #getToken} returned, here or elsewhere, so that none is requested. A
   * token of another client, scope or token URL, or an expired one, is a {@code TOKEN_MISMATCH}.
   */
  public void setToken(Token token) throws InterruptedException {
    await(loop.tell("set_token", token.input(now())), Function.identity());
  }

  /** Forgets the token and the back-off. */
  public void clearToken() throws InterruptedException {
    await(loop.tell("clear_token", new byte[0]), Function.identity());
  }

  /**
   * Waits for the calls begun before, then frees the plugin; later calls throw
   * IllegalStateException. An interrupt does not end the wait.
   */
  @Override
  public void close() {
    loop.close().join();
  }

  private static long now() {
    return Instant.now().getEpochSecond();
  }

  private CompletableFuture<Loop.Result> start(String call, CallOptions options, String... path) {
    var input = new HashMap<>(options.input);
    List.of(path).forEach(text -> input.put("path", text));
    Supplier<?> now = input.containsKey("now") ? () -> input.get("now") : Rostering::now;
    input.putIfAbsent("now", now());
    var begin = Map.of("call", call, "accepts", loop.accepts(), "input", input);
    return loop.start(Json.write(begin), now, options);
  }

  private static Token token(Loop.Result result) {
    return Token.read(Json.write(result.output()));
  }

  /** Waits for a call. What it throws has the stack of the caller. */
  private static <R, T> T await(CompletableFuture<R> call, Function<R, T> read)
      throws InterruptedException {
    try {
      return read.apply(call.get());
    } catch (InterruptedException e) {
      call.cancel(true);
      throw e;
    } catch (ExecutionException e) {
      if (e.getCause().fillInStackTrace() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  /** Keeps what depends on the future off the loop's thread. */
  private static <T> CompletableFuture<T> handOut(
      CompletableFuture<Loop.Result> call, Function<Loop.Result, T> read) {
    var future =
        call.handleAsync(
            (result, e) -> {
              if (e != null) {
                throw new CompletionException(e);
              }
              return read.apply(result);
            });
    future.whenComplete((t, e) -> call.cancel(true));
    return future;
  }
}
