package example.automaticrostering;

import java.net.http.HttpClient;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * A client for Automatic Rostering. Open one and share it: threads send requests concurrently, with
 * one token.
 *
 * <p>A call that fails throws {@link RosteringException}; after {@link #close()}, and if the plugin
 * itself fails, IllegalStateException. A blocking method whose thread is interrupted cancels the
 * call's request and throws InterruptedException. Canceling or completing the future of an
 * asynchronous method does the same to its call. A token request is not canceled with its caller:
 * others may be waiting for it.
 *
 * <p>A method that your own implementation does not override throws UnsupportedOperationException:
 * a fake for tests needs only what is tested.
 */
public interface RosteringClient extends AutoCloseable {
  /** The version of this library, and of the plugin in it. */
  String VERSION = "0.1.0";

  /** The version of the plugin's contract. A plugin with another one is refused. */
  int CONTRACT = 1;

  /**
   * Opens a client with the defaults of {@link RosteringClientBuilder}, which the caller closes.
   */
  static RosteringClient open(RosteringConfig config) {
    return builder(config).open();
  }

  /** Returns a builder of a client. */
  static RosteringClientBuilder builder(RosteringConfig config) {
    return new RosteringClientBuilder(config);
  }

  /** Lists the jobs of the customer and the user. */
  default Response listJobs() throws InterruptedException {
    throw new UnsupportedOperationException();
  }

  /** Asynchronous form of {@link #listJobs}. */
  default CompletableFuture<Response> listJobsAsync() {
    throw new UnsupportedOperationException();
  }

  /** Sends a request to a path below the base URL, with the token and the two ids. */
  default Response sendRequest(ServiceRequest request) throws InterruptedException {
    throw new UnsupportedOperationException();
  }

  /** Asynchronous form of {@link #sendRequest}. */
  default CompletableFuture<Response> sendRequestAsync(ServiceRequest request) {
    throw new UnsupportedOperationException();
  }

  /** Returns the cached token, or a new one, for your own requests. */
  default Token getToken() throws InterruptedException {
    return getToken(TokenOptions.cached());
  }

  /** Returns the token that the options select. */
  default Token getToken(TokenOptions options) throws InterruptedException {
    throw new UnsupportedOperationException();
  }

  /** Asynchronous form of {@link #getToken(TokenOptions)}. */
  default CompletableFuture<Token> getTokenAsync(TokenOptions options) {
    throw new UnsupportedOperationException();
  }

  /**
   * Caches a token that {@link #getToken} returned, here or elsewhere, so that none is requested. A
   * token of another client, scope or token URL, or an expired one, is a {@code TOKEN_MISMATCH}.
   */
  default void setToken(Token token) throws InterruptedException {
    throw new UnsupportedOperationException();
  }

  /** Forgets the token and the backoff. */
  default void clearToken() throws InterruptedException {
    throw new UnsupportedOperationException();
  }

  /**
   * Returns a view for another customer: this client, with the same token and everything else, but
   * all its calls send that id. Closing a view closes nothing.
   */
  default RosteringClient forCustomer(String id) {
    throw new UnsupportedOperationException();
  }

  /** Returns a view whose calls send no customer id. */
  default RosteringClient forNoCustomer() {
    throw new UnsupportedOperationException();
  }

  /** Returns a view for another user, as {@link #forCustomer} does for a customer. */
  default RosteringClient forUser(String id) {
    throw new UnsupportedOperationException();
  }

  /** Returns a view whose calls send no user id. */
  default RosteringClient forNoUser() {
    throw new UnsupportedOperationException();
  }

  /** Returns a view with another timeout, which is more than zero. */
  default RosteringClient withTimeout(Duration timeout) {
    throw new UnsupportedOperationException();
  }

  /** Returns a view without a timeout. */
  default RosteringClient withNoTimeout() {
    throw new UnsupportedOperationException();
  }

  /**
   * Returns an HTTP client that adds the token to the requests of another. Requests to the scheme,
   * host and port of the base URL get it; others are sent unchanged, and so is a request that
   * already has an {@code Authorization}. The ids of customer and user are not added.
   *
   * <p>After a 401, the request is sent again with another token, twice at most; the given {@code
   * BodyHandler} does not see that 401. If there is no other token, the 401 is the response. The
   * same holds for a body of {@code BodyPublishers.fromPublisher} or {@code concat}, which is not
   * sent again; the next request has a new token. One of {@code ofInputStream} needs a new stream
   * each time.
   *
   * <p>If there is no token to send, {@code send} throws {@link RosteringException}, and the future
   * of {@code sendAsync} fails with it. WebSockets get no token. Closing the result closes nothing.
   *
   * @throws IllegalArgumentException if the client follows redirects: the JDK's forwards the token
   *     to other hosts. Also if it has an authenticator before Java 24: it would drop the token
   * @throws RosteringException {@code CONFIG_MISSING}, if there is no base URL
   */
  default HttpClient authorize(HttpClient http) {
    throw new UnsupportedOperationException();
  }

  /**
   * Waits for the calls that began before, then frees the plugin; later calls throw
   * IllegalStateException. If the thread is interrupted, the calls are canceled. Token requests and
   * store operations that no call waits for are given up.
   */
  @Override
  default void close() {}

  /**
   * Closes as {@link #close()} does, but cancels the calls that take longer than the limit: they
   * end with a {@link java.util.concurrent.CancellationException}. Zero cancels them immediately.
   */
  default void close(Duration limit) {
    close();
  }
}
