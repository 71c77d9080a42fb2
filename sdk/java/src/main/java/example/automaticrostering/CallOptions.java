package example.automaticrostering;

import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * What one call has beside the config; each method changes this object. An option that the call
 * does not take is an {@code INVALID_INPUT}, whose key names it.
 */
public final class CallOptions {
  final Map<String, Object> input = new HashMap<>();
  Duration timeout;
  BodyPublisher body = BodyPublishers.noBody();

  /** Begins with no options. */
  public CallOptions() {}

  /**
   * Sets this call's time-out in place of the client's.
   *
   * @param timeout zero for none
   * @return this object
   */
  public CallOptions timeout(Duration timeout) {
    this.timeout = timeout;
    return this;
  }

  /**
   * Sets the time of this call, to its end, in place of the clock's.
   *
   * @param now counts in whole seconds
   * @return this object
   */
  public CallOptions now(Instant now) {
    return set("now", now.getEpochSecond());
  }

  /**
   * {@code getToken}: requests a new token. If that fails, the cached one is kept.
   *
   * @return this object
   */
  public CallOptions force() {
    return set("force", true);
  }

  /**
   * {@code getToken}: an access token that the service answered 401 to. It is replaced, unless the
   * cached token is already another one.
   *
   * @param accessToken {@link Token#accessToken} of the token that was sent
   * @return this object
   */
  public CallOptions refused(String accessToken) {
    return set("refused", accessToken);
  }

  /**
   * Names another customer than the config's.
   *
   * @param id visible ASCII, 1 to 256 bytes; null omits the header
   * @return this object
   */
  public CallOptions customerId(String id) {
    return set("customer_id", id);
  }

  /**
   * Names another user than the config's.
   *
   * @param id visible ASCII, 1 to 256 bytes; null omits the header
   * @return this object
   */
  public CallOptions userId(String id) {
    return set("user_id", id);
  }

  /**
   * {@code sendRequest}: sets the method, which is GET if not set.
   *
   * @param method GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS
   * @return this object
   */
  public CallOptions method(String method) {
    return set("method", method);
  }

  /**
   * {@code sendRequest}: adds headers.
   *
   * @param headers not Authorization, the ids, Host, Content-Length and the like
   * @return this object
   */
  public CallOptions headers(Map<String, String> headers) {
    return set("headers", headers);
  }

  /**
   * {@code sendRequest}: sets the body.
   *
   * @param text is sent as UTF-8
   * @return this object
   */
  public CallOptions body(String text) {
    return body(BodyPublishers.ofString(text));
  }

  /**
   * {@code sendRequest}: sets the body.
   *
   * @param bytes is not copied
   * @return this object
   */
  public CallOptions body(byte[] bytes) {
    return body(BodyPublishers.ofByteArray(bytes));
  }

  /**
   * {@code sendRequest}: sets the body, of any size.
   *
   * @param publisher is sent again when a request is repeated after a 401: {@code ofInputStream}
   *     needs a new stream each time. One of {@code fromPublisher} or {@code concat} is not sent
   *     again: the call ends with a {@code SERVICE_UNAUTHORIZED} that is retryable, and the next
   *     call gets a new token
   * @return this object
   */
  public CallOptions body(BodyPublisher publisher) {
    body = publisher;
    return set("body", true);
  }

  private CallOptions set(String name, Object value) {
    input.put(name, value);
    return this;
  }
}
