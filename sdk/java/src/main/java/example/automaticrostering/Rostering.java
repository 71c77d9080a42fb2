package example.automaticrostering;

import com.dylibso.chicory.log.Logger;
import java.net.http.HttpClient;
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
  /** The version of this library, and of the plugin in it. */
  public static final String VERSION = "0.1.0";

  /** The version of the plugin's contract. A plugin of another one is refused. */
  public static final int CONTRACT = 2;

  final Loop loop;
  private final String baseUrl;

  Rostering(RosteringConfig config, RosteringOptions options, Logger log) {
    loop = new Loop(() -> options.open(config, log), options);
    baseUrl = config.keys.get("base_url");
  }

  /**
   * Makes a client with the options' defaults.
   *
   * @param config what it calls, and as whom; later changes to it do not count
   * @return the client; closing it is the caller's
   * @throws RosteringException {@code CONFIG_MISSING} or {@code CONFIG_INVALID}
   */
  public static Rostering open(RosteringConfig config) {
    return open(config, new RosteringOptions());
  }

  /**
   * Makes a client. It checks the config, and sends nothing.
   *
   * @param config what it calls, and as whom; later changes to it do not count
   * @param options how it works
   * @return the client; closing it is the caller's
   * @throws RosteringException {@code CONFIG_MISSING} or {@code CONFIG_INVALID}
   * @throws IllegalArgumentException if the options' plugin is not a build of the plugin, or has
   *     another contract
   */
  public static Rostering open(RosteringConfig config, RosteringOptions options) {
    return new Rostering(config, options, new PluginLog());
  }

  /**
   * Adds the token to the requests of another HTTP client. Requests to the scheme, host and port of
   * {@code base_url} get it, others are sent as they are, and so is a request that has an {@code
   * Authorization} of its own. The customer's and the user's id are not added.
   *
   * <p>After a 401, a new token is requested, and the request is sent once more; the given {@code
   * BodyHandler} does not see that 401. A body of {@code BodyPublishers.fromPublisher} or {@code
   * concat} is not sent again: the caller gets the 401, and the next request the new token. One of
   * {@code ofInputStream} needs a new stream each time.
   *
   * <p>Where no token can be had, {@code send} throws {@link RosteringException}, and the future of
   * {@code sendAsync} fails with it. WebSockets get no token. Closing the result closes nothing.
   *
   * @param http sends the requests; it must not follow redirects, because the JDK's client takes
   *     the token along to other hosts
   * @return the client to send requests with
   * @throws IllegalArgumentException if the client follows redirects
   * @throws RosteringException {@code CONFIG_MISSING} or {@code CONFIG_INVALID}, of base_url
   */
  public HttpClient authorize(HttpClient http) {
    return new AuthorizedHttpClient(this, RosteringConfig.baseUri(baseUrl), http);
  }

  /**
   * Returns the cached token, or a new one, for requests of your own.
   *
   * @return the token
   * @throws InterruptedException if the thread is interrupted
   * @throws RosteringException if it cannot return a token
   */
  public Token getToken() throws InterruptedException {
    return getToken(new CallOptions());
  }

  /**
   * Returns the cached token, or a new one.
   *
   * @param options {@code force} or {@code refused}; {@code now}, {@code timeout}
   * @return the token
   * @throws InterruptedException if the thread is interrupted
   * @throws RosteringException if it cannot return a token
   */
  public Token getToken(CallOptions options) throws InterruptedException {
    return await(start("get_token", options), Rostering::token);
  }

  /**
   * Does not wait for what {@link #getToken(CallOptions)} does.
   *
   * @param options {@code force} or {@code refused}; {@code now}, {@code timeout}
   * @return the token, or a {@link RosteringException}
   */
  public CompletableFuture<Token> getTokenAsync(CallOptions options) {
    return handOut(start("get_token", options), Rostering::token);
  }

  /**
   * Lists the jobs of the config's customer and user.
   *
   * @return the service's answer
   * @throws InterruptedException if the thread is interrupted
   * @throws RosteringException if the call fails
   */
  public Response listJobs() throws InterruptedException {
    return listJobs(new CallOptions());
  }

  /**
   * Lists jobs.
   *
   * @param options {@code customerId}, {@code userId}; {@code now}, {@code timeout}
   * @return the service's answer
   * @throws InterruptedException if the thread is interrupted
   * @throws RosteringException if the call fails
   */
  public Response listJobs(CallOptions options) throws InterruptedException {
    return await(start("list_jobs", options), Loop.Result::response);
  }

  /**
   * Does not wait for what {@link #listJobs(CallOptions)} does.
   *
   * @param options {@code customerId}, {@code userId}; {@code now}, {@code timeout}
   * @return the service's answer, or a {@link RosteringException}
   */
  public CompletableFuture<Response> listJobsAsync(CallOptions options) {
    return handOut(start("list_jobs", options), Loop.Result::response);
  }

  /**
   * Sends a request to a path under base_url, with the token and the two ids.
   *
   * @param path begins with a slash, and may have a query
   * @param options all but {@code force} and {@code refused}
   * @return the service's answer
   * @throws InterruptedException if the thread is interrupted
   * @throws RosteringException if the call fails
   */
  public Response sendRequest(String path, CallOptions options) throws InterruptedException {
    return await(start("send_request", options, path), Loop.Result::response);
  }

  /**
   * Does not wait for what {@link #sendRequest} does.
   *
   * @param path begins with a slash, and may have a query
   * @param options all but {@code force} and {@code refused}
   * @return the service's answer, or a {@link RosteringException}
   */
  public CompletableFuture<Response> sendRequestAsync(String path, CallOptions options) {
    return handOut(start("send_request", options, path), Loop.Result::response);
  }

  /**
   * Takes a token that {@link #getToken} returned, here or elsewhere, so that none is requested. A
   * token of another client, scope or token URL, or an expired one, is a {@code TOKEN_MISMATCH}.
   *
   * @param token the token
   * @throws InterruptedException if the thread is interrupted
   * @throws RosteringException if the token is not for this client
   */
  public void setToken(Token token) throws InterruptedException {
    await(loop.tell("set_token", token.input(now())));
  }

  /**
   * Forgets the token and the back-off.
   *
   * @throws InterruptedException if the thread is interrupted
   */
  public void clearToken() throws InterruptedException {
    await(loop.tell("clear_token", new byte[0]));
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

  static <T> T await(CompletableFuture<T> call) throws InterruptedException {
    return await(call, Function.identity());
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
      throw cause(e);
    }
  }

  /** Waits, also in a thread that is interrupted. */
  static void join(CompletableFuture<Void> work) {
    try {
      work.join();
    } catch (CompletionException e) {
      throw cause(e);
    }
  }

  private static RuntimeException cause(Exception e) {
    return e.getCause().fillInStackTrace() instanceof RuntimeException cause
        ? cause
        : new IllegalStateException(e.getCause());
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
