package example.automaticrostering;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** A client, or a view of one: they differ in the ids and the timeout. */
final class Client implements RosteringClient {
  final Loop loop;
  private final String baseUrl;
  private final Map<String, String> ids;
  private final long timeoutNanos;

  Client(Loop loop, String baseUrl, Map<String, String> ids, long timeoutNanos) {
    this.loop = loop;
    this.baseUrl = baseUrl;
    this.ids = ids;
    this.timeoutNanos = timeoutNanos;
  }

  @Override
  public Response listJobs() throws InterruptedException {
    return await(startListJobs(), Loop.Result::response);
  }

  @Override
  public CompletableFuture<Response> listJobsAsync() {
    return handOut(startListJobs(), Loop.Result::response);
  }

  private CompletableFuture<Loop.Result> startListJobs() {
    return start("list_jobs", ids, BodyPublishers.noBody());
  }

  @Override
  public Response sendRequest(ServiceRequest request) throws InterruptedException {
    return await(startSendRequest(request), Loop.Result::response);
  }

  @Override
  public CompletableFuture<Response> sendRequestAsync(ServiceRequest request) {
    return handOut(startSendRequest(request), Loop.Result::response);
  }

  private CompletableFuture<Loop.Result> startSendRequest(ServiceRequest request) {
    var input = new HashMap<String, Object>(request.input);
    input.putAll(ids);
    return start("send_request", input, request.body);
  }

  @Override
  public Token getToken(TokenOptions options) throws InterruptedException {
    return await(startGetToken(options), Client::token);
  }

  @Override
  public CompletableFuture<Token> getTokenAsync(TokenOptions options) {
    return handOut(startGetToken(options), Client::token);
  }

  private CompletableFuture<Loop.Result> startGetToken(TokenOptions options) {
    return start("get_token", options.input(), BodyPublishers.noBody());
  }

  private static Token token(Loop.Result result) {
    return Token.read(Json.write(result.output()));
  }

  @Override
  public void setToken(Token token) throws InterruptedException {
    await(loop.tell("set_token", token.input(now())), Function.identity());
  }

  @Override
  public void clearToken() throws InterruptedException {
    await(loop.tell("clear_token", new byte[0]), Function.identity());
  }

  @Override
  public RosteringClient forCustomer(String id) {
    return withId("customer_id", id);
  }

  @Override
  public RosteringClient forUser(String id) {
    return withId("user_id", id);
  }

  private RosteringClient withId(String name, String id) {
    var changed = new HashMap<>(ids);
    changed.put(name, id);
    return new Client(loop, baseUrl, changed, timeoutNanos);
  }

  @Override
  public RosteringClient withTimeout(Duration timeout) {
    return new Client(loop, baseUrl, ids, Loop.nanos(timeout));
  }

  @Override
  public RosteringClient withNoTimeout() {
    return new Client(loop, baseUrl, ids, Loop.NO_TIMEOUT);
  }

  @Override
  public HttpClient authorize(HttpClient http) {
    if (baseUrl == null) {
      throw RosteringException.ofConfig(
          "config_missing", "base_url", "set base_url: only requests to it get the token");
    }
    return new AuthorizedHttpClient(this, URI.create(baseUrl), http);
  }

  @Override
  public void close() {
    close(Loop.NO_TIMEOUT);
  }

  @Override
  public void close(Duration limit) {
    close(limit.isZero() ? 0 : Loop.nanos(limit));
  }

  private void close(long nanos) {
    var closed = loop.close();
    try {
      closed.get(nanos, TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      loop.cancel();
    } catch (InterruptedException e) {
      loop.cancel();
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      throw new AssertionError(e); // it only ever completes
    }
    closed.join();
  }

  private static long now() {
    return Instant.now().getEpochSecond();
  }

  private CompletableFuture<Loop.Result> start(String call, Map<String, ?> input, BodyPublisher b) {
    var timed = new HashMap<String, Object>(input);
    timed.put("now", now());
    var begin = Map.of("call", call, "accepts", loop.accepts(), "input", timed);
    return loop.start(() -> Json.write(begin), Client::now, timeoutNanos, b);
  }

  /** Waits for a call. What it throws has the stack of the caller. */
  static <R, T> T await(CompletableFuture<R> call, Function<R, T> read)
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
    var future = call.thenApplyAsync(read);
    future.whenComplete((t, e) -> call.cancel(true));
    return future;
  }
}
