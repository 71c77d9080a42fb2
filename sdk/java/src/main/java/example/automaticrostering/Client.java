package example.automaticrostering;

import static example.automaticrostering.RosteringException.notNull;

import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** A client, or a view of one: they differ in the ids and the timeout. */
record Client(Driver driver, Map<String, String> ids, long timeout, boolean isView)
    implements RosteringClient {

  <T, E extends Exception> T make(Call.Task<T, E> task) throws E, InterruptedException {
    return call().run(task);
  }

  private Call call() {
    var call = new Call(driver, timeout);
    driver.add(call);
    return call;
  }

  private <T> CompletableFuture<T> start(Call.Task<T, ?> task) {
    try {
      return call().start(task);
    } catch (Throwable e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public Response listJobs() throws InterruptedException {
    return sendRequest(ServiceRequest.LIST_JOBS);
  }

  @Override
  public CompletableFuture<Response> listJobsAsync() {
    return sendRequestAsync(ServiceRequest.LIST_JOBS);
  }

  @Override
  public Response sendRequest(ServiceRequest request) throws InterruptedException {
    return make(send(request));
  }

  @Override
  public CompletableFuture<Response> sendRequestAsync(ServiceRequest request) {
    return start(send(request));
  }

  private Call.Task<Response, RuntimeException> send(ServiceRequest request) {
    var input = new HashMap<String, Object>(notNull(request, "the request").input);
    input.putAll(ids);
    return call -> new ServiceCall(driver, call, input, request.body).make();
  }

  @Override
  public Token getToken(TokenOptions options) throws InterruptedException {
    return make(token(options));
  }

  @Override
  public CompletableFuture<Token> getTokenAsync(TokenOptions options) {
    return start(token(options));
  }

  private Call.Task<Token, RuntimeException> token(TokenOptions options) {
    notNull(options, "the options");
    return call -> {
      if (options.isForced) {
        return driver.holder.force();
      }
      if (options.refused != null) {
        driver.holder.refuse(options.refused, false);
      }
      return driver.holder.token(options.refused);
    };
  }

  @Override
  public void setToken(Token token) throws InterruptedException {
    var input = notNull(token, "the token").fields();
    input.put("now", driver.now());
    change("set_token", Json.write(input), true);
  }

  @Override
  public void clearToken() throws InterruptedException {
    change("clear_token", new byte[0], false);
  }

  /** Calls an export that sends nothing, and then changes what is kept. */
  private void change(String export, byte[] input, boolean isSet) throws InterruptedException {
    make(
        call ->
            driver.plugin.run(
                () -> {
                  driver.plugin.call(export, input, null);
                  driver.holder.drop(isSet);
                  return null;
                }));
  }

  @Override
  public RosteringClient forCustomer(String id) {
    return withId("customer_id", notNull(id, "the id (for none, use forNoCustomer())"));
  }

  @Override
  public RosteringClient forNoCustomer() {
    return withId("customer_id", null);
  }

  @Override
  public RosteringClient forUser(String id) {
    return withId("user_id", notNull(id, "the id (for none, use forNoUser())"));
  }

  @Override
  public RosteringClient forNoUser() {
    return withId("user_id", null);
  }

  private RosteringClient withId(String name, String id) {
    var changed = new HashMap<>(ids);
    changed.put(name, Json.bounded(id));
    return new Client(driver, changed, timeout, true);
  }

  @Override
  public RosteringClient withTimeout(Duration timeout) {
    return new Client(driver, ids, RosteringClientBuilder.nanos(timeout), true);
  }

  @Override
  public RosteringClient withNoTimeout() {
    return new Client(driver, ids, RosteringClientBuilder.NEVER, true);
  }

  @Override
  public HttpClient authorize(HttpClient http) {
    var base = driver.config.keys().get("base_url");
    if (base == null) {
      throw RosteringException.ofConfig(
          "config_missing",
          "base_url",
          "is not set: set it, because only requests to it get the token");
    }
    return new AuthorizedHttpClient(this, URI.create(base), http);
  }

  @Override
  public void close() {
    close(RosteringClientBuilder.NEVER);
  }

  @Override
  public void close(Duration limit) {
    close(Duration.ZERO.equals(limit) ? 0 : RosteringClientBuilder.nanos(limit));
  }

  private void close(long nanos) {
    if (!isView) {
      driver.close(nanos);
    }
  }
}
