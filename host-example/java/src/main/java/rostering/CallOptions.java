package rostering;

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
  BodyPublisher body;

  /** The time-out of this call in place of the client's; zero for none. */
  public CallOptions timeout(Duration timeout) {
    this.timeout = timeout;
    return this;
  }

  /** The time of this call, to its end, in place of the clock's. */
  public CallOptions now(Instant now) {
    return set("now", now.getEpochSecond());
  }

  /** {@code getToken}: requests a new token. If that fails, the cached one is kept. */
  public CallOptions force() {
    return set("force", true);
  }

  /**
   * {@code getToken}: an access token that the service answered 401 to. It is replaced, unless the
   * cached token is already another one.
   */
  public CallOptions refused(String accessToken) {
    return set("refused", accessToken);
  }

  /** Another customer than the config's; null leaves the header out. */
  public CallOptions customerId(String id) {
    return set("customer_id", id);
  }

  /** Another user than the config's; null leaves the header out. */
  public CallOptions userId(String id) {
    return set("user_id", id);
  }

  /** {@code sendRequest}: GET if not set, HEAD, POST, PUT, PATCH, DELETE or OPTIONS. */
  public CallOptions method(String method) {
    return set("method", method);
  }

  /** {@code sendRequest}: not Authorization, the ids, Host, Content-Length and the like. */
  public CallOptions headers(Map<String, String> headers) {
    return set("headers", headers);
  }

  /** {@code sendRequest}: a text, sent as UTF-8. */
  public CallOptions body(String text) {
    return body(BodyPublishers.ofString(text));
  }

  public CallOptions body(byte[] bytes) {
    return body(BodyPublishers.ofByteArray(bytes));
  }

  /**
   * {@code sendRequest}: a body of any size that can be sent again, as a request is repeated after
   * a 401: {@code ofInputStream} needs a new stream each time.
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
