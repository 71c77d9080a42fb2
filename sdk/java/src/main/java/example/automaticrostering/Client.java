package example.automaticrostering;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;

/** A client, or a view of one: they differ in the ids and the timeout. */
final class Client implements RosteringClient {
  final Driver driver;
  private final String baseUrl;
  private final Map<String, String> ids;
  private final long timeoutNanos;

  Client(Driver driver, String baseUrl, Map<String, String> ids, long timeoutNanos) {
    this.driver = driver;
    this.baseUrl = baseUrl;
    this.ids = ids;
    this.timeoutNanos = timeoutNanos;
  }

  @Override
  public Response listJobs() throws InterruptedException {
    return make(ids, BodyPublishers.noBody());
  }

  @Override
  public CompletableFuture<Response> listJobsAsync() {
    return start(ids, BodyPublishers.noBody());
  }

  @Override
  public Response sendRequest(ServiceRequest request) throws InterruptedException {
    return make(input(request), request.body);
  }

  @Override
  public CompletableFuture<Response> sendRequestAsync(ServiceRequest request) {
    return start(input(request), request.body);
  }

  private Map<String, ?> input(ServiceRequest request) {
    var input = new HashMap<String, Object>(request.input);
    input.putAll(ids);
    return input;
  }

  private Response make(Map<String, ?> input, BodyPublisher body) throws InterruptedException {
    var thread = new CallerThread();
    try {
      return thread.await(new ServiceCall(driver, input, body, timeoutNanos, thread).start());
    } catch (ExecutionException e) {
      throw cause(e);
    }
  }

  private CompletableFuture<Response> start(Map<String, ?> input, BodyPublisher body) {
    return future(new ServiceCall(driver, input, body, timeoutNanos, CallerThread.NONE).start());
  }

  @Override
  public Token getToken(TokenOptions options) throws InterruptedException {
    return await(token(() -> options.of(driver.holder)));
  }

  @Override
  public CompletableFuture<Token> getTokenAsync(TokenOptions options) {
    return future(token(() -> options.of(driver.holder)));
  }

  /** Starts a call that ends with a token. */
  CompletableFuture<Token> token(Supplier<CompletableFuture<Token>> work) {
    return new Call<Token>(driver, timeoutNanos).start(work);
  }

  @Override
  public void setToken(Token token) throws InterruptedException {
    var input = token.fields();
    input.put("now", driver.now());
    await(driver.change("set_token", Json.write(input), driver.holder::replace));
  }

  @Override
  public void clearToken() throws InterruptedException {
    await(driver.change("clear_token", new byte[0], driver.holder::clear));
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
    return new Client(driver, baseUrl, changed, timeoutNanos);
  }

  @Override
  public RosteringClient withTimeout(Duration timeout) {
    return new Client(driver, baseUrl, ids, Timeout.nanos(timeout));
  }

  @Override
  public RosteringClient withNoTimeout() {
    return new Client(driver, baseUrl, ids, Timeout.NONE);
  }

  @Override
  public HttpClient authorize(HttpClient http) {
    if (baseUrl == null) {
      throw RosteringException.ofConfig(
          "config_missing",
          "base_url",
          "is not set: set it, because only requests to it get the token");
    }
    return new AuthorizedHttpClient(this, URI.create(baseUrl), http);
  }

  @Override
  public void close() {
    close(Timeout.NONE);
  }

  @Override
  public void close(Duration limit) {
    close(limit.isZero() ? 0 : Timeout.nanos(limit));
  }

  private void close(long nanos) {
    var closed = driver.close();
    try {
      closed.get(nanos, TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      driver.cancel();
    } catch (InterruptedException e) {
      driver.cancel();
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      throw new AssertionError(e); // nothing completes it with an exception
    }
    closed.join();
  }

  /** Waits for a call. What it throws has the stack of the caller. */
  static <T> T await(CompletableFuture<T> call) throws InterruptedException {
    try {
      return call.get();
    } catch (InterruptedException e) {
      call.cancel(true);
      throw e;
    } catch (ExecutionException e) {
      throw cause(e);
    }
  }

  /** Waits, even if the thread is interrupted. */
  static void join(CompletableFuture<Void> work) {
    try {
      work.join();
    } catch (CompletionException e) {
      throw cause(e);
    }
  }

  static RuntimeException cause(Exception e) {
    if (e.getCause() instanceof RosteringException shared) {
      return shared.copy();
    }
    return e.getCause().fillInStackTrace() instanceof RuntimeException cause
        ? cause
        : new IllegalStateException(e.getCause());
  }

  /** What depends on this future does not run on the thread that ends the call. */
  private static <T> CompletableFuture<T> future(CompletableFuture<T> result) {
    var future = result.isDone() ? result.copy() : result.thenApplyAsync(Function.identity());
    future.whenComplete((t, e) -> result.cancel(true));
    return future;
  }
}
