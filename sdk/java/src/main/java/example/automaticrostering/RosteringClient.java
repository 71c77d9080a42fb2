package example.automaticrostering;

import static example.automaticrostering.RosteringException.notNull;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;

/**
 * A client for Automatic Rostering. Open one and share it among threads.
 *
 * <p>A call that fails throws {@link RosteringException}; after {@link #close()},
 * IllegalStateException. Interrupting the thread of a call cancels its request, but not a token
 * request. An executor makes calls asynchronous: {@code executor.submit(client::listJobs)}.
 *
 * <p>A fake for tests extends this class and overrides what is tested: everything else throws
 * UnsupportedOperationException.
 */
public class RosteringClient implements AutoCloseable {
  /** The version of this library, and of the plugin in it. */
  public static final String VERSION = "0.1.0";

  /** The version of the plugin's contract. A plugin with another one is refused. */
  public static final int CONTRACT = 1;

  private final Shared shared; // null for a fake
  private final Map<String, String> ids;
  private final TreeMap<String, String> headers;
  private final long timeout;
  private final boolean isView;

  /** Creates a fake. */
  protected RosteringClient() {
    this(null, Map.of(), new TreeMap<>(), 0, false);
  }

  RosteringClient(
      Shared shared,
      Map<String, String> ids,
      TreeMap<String, String> headers,
      long timeout,
      boolean isView) {
    this.shared = shared;
    this.ids = ids;
    this.headers = headers;
    this.timeout = timeout;
    this.isView = isView;
  }

  /** Opens a client with the defaults of {@link RosteringClientBuilder}. */
  public static RosteringClient open(RosteringConfig config) {
    return builder(config).open();
  }

  /** Returns a builder of a client. */
  public static RosteringClientBuilder builder(RosteringConfig config) {
    return new RosteringClientBuilder(config);
  }

  private Shared shared() {
    if (shared == null) {
      throw new UnsupportedOperationException("this fake does not override the method");
    }
    return shared;
  }

  /** Creates a call, which the status counts if it is one for the service or a token. */
  private Call call(boolean isCounted) {
    return new Call(shared(), timeout, isCounted);
  }

  /** Lists the jobs of the customer and the user. */
  public Response listJobs() throws InterruptedException {
    return sendRequest(new ServiceRequest("/jobs"));
  }

  /** Sends a request to a path below the base URL, with the token and the two ids. */
  public Response sendRequest(ServiceRequest request) throws InterruptedException {
    var all = new TreeMap<>(headers); // by names in any case
    all.putAll(notNull(request, "the request").headers);
    var input = new HashMap<String, Object>(ids);
    input.put("headers", all);
    input.put("path", request.path);
    input.put("method", request.method);
    if (request.body != null) {
      input.put("body", true);
    }
    var body = request.body == null ? BodyPublishers.noBody() : request.body;
    return call(true).run(call -> new ServiceCall(shared, call, input, body).make());
  }

  /** Returns the cached token, or a new one, for your own requests. */
  public Token getToken() throws InterruptedException {
    return getToken(TokenOptions.cached());
  }

  /** Returns the token that the options select. */
  public Token getToken(TokenOptions options) throws InterruptedException {
    notNull(options, "the options");
    return call(true)
        .run(
            call -> {
              if (options.isForced) {
                return shared.holder.force();
              }
              if (options.refused != null) {
                shared.holder.refuse(options.refused, false);
              }
              return shared.holder.token(options.refused);
            });
  }

  /** Caches a token that another client with the same config obtained. */
  public void setToken(Token token) {
    var input = notNull(token, "the token").fields();
    input.put("now", shared().now());
    shared.change("set_token", Json.write(input), true);
  }

  /** Forgets the token and the backoff. */
  public void clearToken() {
    shared().change("clear_token", Plugin.NOTHING, false);
  }

  /** Replaces the secret from the next token request on. If it is invalid, the old one stays. */
  public void setSecret(String secret) {
    shared().plugin.configure(Map.of("client_secret", notNull(secret, "the secret")));
  }

  /** Returns a view for another customer, whose calls send that id. */
  public RosteringClient forCustomer(String id) {
    return withId("customer_id", notNull(id, "the id (for none, use forNoCustomer())"));
  }

  /** Returns a view whose calls send no customer id. */
  public RosteringClient forNoCustomer() {
    return withId("customer_id", null);
  }

  /** Returns a view for another user, as {@link #forCustomer} does for a customer. */
  public RosteringClient forUser(String id) {
    return withId("user_id", notNull(id, "the id (for none, use forNoUser())"));
  }

  /** Returns a view whose calls send no user id. */
  public RosteringClient forNoUser() {
    return withId("user_id", null);
  }

  private RosteringClient withId(String name, String id) {
    var changed = new HashMap<>(ids);
    changed.put(name, id);
    return new RosteringClient(shared(), changed, headers, timeout, true);
  }

  /** Returns a view whose calls have one more header, such as {@code traceparent}. */
  public RosteringClient withHeader(String name, String value) {
    var changed = new TreeMap<>(headers);
    ServiceRequest.put(changed, name, value);
    return new RosteringClient(shared(), ids, changed, timeout, true);
  }

  /** Returns a view with another timeout, which is more than zero. */
  public RosteringClient withTimeout(Duration timeout) {
    return withNanos(RosteringClientBuilder.nanos(timeout));
  }

  /** Returns a view without a timeout. */
  public RosteringClient withNoTimeout() {
    return withNanos(RosteringClientBuilder.NEVER);
  }

  private RosteringClient withNanos(long timeout) {
    return new RosteringClient(shared(), ids, headers, timeout, true);
  }

  /**
   * Sends your own request with the token, if it goes to the origin of the base URL and has no
   * {@code Authorization}. Resembles {@code HttpClient.send}. Add the two ids yourself.
   *
   * <p>The {@code BodyHandler} sees a 401 only if the request is not sent again; of the last one,
   * at most 64 KiB. Which bodies can be sent again: {@link ServiceRequest#body(BodyPublisher)}.
   *
   * <p>Exceptions of the body and the handler reach the caller unchanged; a checked one that is no
   * IOException is wrapped in one. If the last client closes while a body is read, reading may
   * fail.
   *
   * @throws IOException if there is no response
   * @throws RosteringException if no token can be obtained, or the client's timeout ends the call
   */
  public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
      throws IOException, InterruptedException {
    notNull(request, "the request");
    notNull(handler, "the body handler");
    var base = shared().base();
    return call(false).run(call -> new OwnRequest<>(shared, call, base, request, handler).make());
  }

  /** Returns what the client and its views know and counted, also after {@link #close()}. */
  public Status status() {
    return shared().status();
  }

  /**
   * Waits for running calls, or cancels them if the thread is interrupted, and for what is being
   * written to the store, for two seconds at most; and ends the rest.
   */
  @Override
  public void close() {
    close(RosteringClientBuilder.NEVER);
  }

  /** The same, but ends calls after the limit, or zero, with a {@link CancellationException}. */
  public void close(Duration limit) {
    close(Duration.ZERO.equals(limit) ? 0 : RosteringClientBuilder.nanos(limit));
  }

  private void close(long nanos) {
    if (shared != null && !isView) {
      shared.close(nanos);
    }
  }
}
