package example.automaticrostering;

import static example.automaticrostering.RosteringException.notNull;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** A client, or a view of one: they differ in the ids and the timeout. */
record Client(Driver driver, Map<String, String> ids, long timeout, boolean isView)
    implements RosteringClient {

  /** Begins a call, which the status counts if it is one for the service or a token. */
  private Call call(boolean isCounted) {
    var call = new Call(driver, timeout, isCounted);
    driver.add(call);
    return call;
  }

  private <T> CompletableFuture<T> start(boolean isCounted, Call.Task<T, ?> task) {
    try {
      return call(isCounted).start(task);
    } catch (Throwable e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public Response listJobs() throws InterruptedException {
    return sendRequest(ServiceRequest.LIST_JOBS);
  }

  @Override
  public Response listJobs(Map<String, String> headers) throws InterruptedException {
    return sendRequest(ServiceRequest.listJobs(headers));
  }

  @Override
  public CompletableFuture<Response> listJobsAsync() {
    return sendRequestAsync(ServiceRequest.LIST_JOBS);
  }

  @Override
  public CompletableFuture<Response> listJobsAsync(Map<String, String> headers) {
    return sendRequestAsync(ServiceRequest.listJobs(headers));
  }

  @Override
  public Response sendRequest(ServiceRequest request) throws InterruptedException {
    return call(true).run(send(request));
  }

  @Override
  public CompletableFuture<Response> sendRequestAsync(ServiceRequest request) {
    return start(true, send(request));
  }

  private Call.Task<Response, RuntimeException> send(ServiceRequest request) {
    var input = driver.input(notNull(request, "the request"));
    input.putAll(ids);
    return call -> new ServiceCall(driver, call, input, request.body).make();
  }

  @Override
  public Token getToken(TokenOptions options) throws InterruptedException {
    return call(true).run(token(options));
  }

  @Override
  public CompletableFuture<Token> getTokenAsync(TokenOptions options) {
    return start(true, token(options));
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
    change("clear_token", PluginThread.NOTHING, false);
  }

  @Override
  public void setSecret(String secret) throws InterruptedException {
    RosteringConfig.check("client_secret", notNull(secret, "the secret"));
    call(false).run(call -> driver.plugin.run(() -> driver.plugin.setSecret(secret)));
  }

  /** Calls an export that sends nothing, and then changes what is kept. */
  private void change(String export, byte[] input, boolean isSet) throws InterruptedException {
    call(false)
        .run(
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
  public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
      throws IOException, InterruptedException {
    return call(false).run(own(request, handler));
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler) {
    return start(false, own(request, handler));
  }

  private <T> Call.Task<HttpResponse<T>, IOException> own(
      HttpRequest request, BodyHandler<T> handler) {
    notNull(request, "the request");
    notNull(handler, "the body handler");
    driver.baseUrl();
    return call -> new OwnRequest<>(driver, call, request, handler).make();
  }

  @Override
  public Status status() {
    return driver.status();
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
