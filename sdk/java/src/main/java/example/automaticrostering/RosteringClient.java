package example.automaticrostering;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * A client for Automatic Rostering. Open one and share it: threads send requests concurrently, with
 * one token.
 *
 * <p>A call that fails throws {@link RosteringException}; after {@link #close()},
 * IllegalStateException. A blocking method whose thread is interrupted cancels the call's request
 * and throws InterruptedException. Canceling or completing the future of an asynchronous method
 * does the same to its call. A token request is not canceled with its caller: others may be waiting
 * for it.
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

  /** Lists the jobs with more headers, such as {@code traceparent}. */
  default Response listJobs(Map<String, String> headers) throws InterruptedException {
    throw new UnsupportedOperationException();
  }

  /** Asynchronous form of {@link #listJobs()}. */
  default CompletableFuture<Response> listJobsAsync() {
    throw new UnsupportedOperationException();
  }

  /** Asynchronous form of {@link #listJobs(Map)}. */
  default CompletableFuture<Response> listJobsAsync(Map<String, String> headers) {
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
   * token of another client, scope or token endpoint, or an expired one, is a {@code
   * TOKEN_MISMATCH}.
   */
  default void setToken(Token token) throws InterruptedException {
    throw new UnsupportedOperationException();
  }

  /** Forgets the token and the backoff. */
  default void clearToken() throws InterruptedException {
    throw new UnsupportedOperationException();
  }

  /**
   * Replaces the client secret for this client and its views, such as after a rotation. The token
   * stays; the next token request uses the new secret. An invalid one is a {@code CONFIG_INVALID},
   * and the old one stays.
   */
  default void setSecret(String secret) throws InterruptedException {
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
   * Sends a request of your own with the token, through the client's {@code HttpClient}, whose
   * {@code send} it resembles. Requests to the scheme, host and port of the base URL get the token;
   * others are sent unchanged, and so is a request that already has an {@code Authorization}. Add
   * the ids of customer and user yourself.
   *
   * <p>After a 401, the request is sent again with another token, twice at most; the {@code
   * BodyHandler} does not see that 401. If there is no other token, the 401 is the response, with
   * at most 64 KiB of its body. A request whose body is of {@code BodyPublishers.fromPublisher} or
   * {@code concat} is not sent again; the next one has a new token. One of {@code ofInputStream}
   * needs a new stream each time.
   *
   * @throws IOException if there is no response
   * @throws RosteringException if there is no token, or the client's timeout ends the call
   */
  default <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
      throws IOException, InterruptedException {
    throw new UnsupportedOperationException();
  }

  /** Asynchronous form of {@link #send}. */
  default <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler) {
    throw new UnsupportedOperationException();
  }

  /**
   * Returns the state of the client and what was counted since it opened; of a view, that of its
   * client. Sends nothing, and waits for no request. After {@link #close()}, the last numbers.
   */
  default Status status() {
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
