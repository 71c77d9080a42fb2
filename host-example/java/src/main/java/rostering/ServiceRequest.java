package rostering;

import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/**
 * A request to another path of the service. The plugin judges it before anything is sent, and adds
 * the token and the two ids.
 */
public final class ServiceRequest extends CallInput<ServiceRequest> {
  private final BodyPublisher body;

  private ServiceRequest(Map<String, Object> fields, Duration timeout, BodyPublisher body) {
    super(fields, timeout);
    this.body = body;
  }

  /** GET of a path, which begins with a slash, stays under base_url, and may have a query. */
  public static ServiceRequest get(String path) {
    return of("GET", path);
  }

  /**
   * @param method GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS
   */
  public static ServiceRequest of(String method, String path) {
    return new ServiceRequest(Map.of("method", method, "path", path), null, null);
  }

  /** Not for Authorization, CUSTOMER_ID, USER_ID, Host, Content-Length, Connection and the like. */
  public ServiceRequest withHeader(String name, String value) {
    var headers = new TreeMap<String, Object>();
    if (fields.get("headers") instanceof Map<?, ?> present) {
      present.forEach((n, v) -> headers.put((String) n, v));
    }
    headers.put(name, value);
    return with("headers", headers);
  }

  /** Another customer than the config's; null leaves the header out. */
  public ServiceRequest withCustomerId(String id) {
    return with("customer_id", id);
  }

  /** Another user than the config's; null leaves the header out. */
  public ServiceRequest withUserId(String id) {
    return with("user_id", id);
  }

  /** A text, sent as UTF-8. GET and HEAD take no body. */
  public ServiceRequest withBody(String text) {
    return withBody(BodyPublishers.ofString(text));
  }

  public ServiceRequest withBody(byte[] bytes) {
    return withBody(BodyPublishers.ofByteArray(bytes));
  }

  /**
   * A body of any size, such as {@code BodyPublishers.ofFile}. It is subscribed to again if the
   * request is repeated after a 401: {@code ofInputStream} needs a new stream each time. If the
   * publisher fails then, the call ends with the 401, as {@code SERVICE_UNAUTHORIZED}.
   */
  public ServiceRequest withBody(BodyPublisher publisher) {
    return new ServiceRequest(with("body", true).fields, timeout, publisher);
  }

  @Override
  ServiceRequest copy(Map<String, Object> fields, Duration timeout) {
    return new ServiceRequest(fields, timeout, body);
  }

  @Override
  BodyPublisher body() {
    return body;
  }

  /** Without headers and body, which may hold secrets. */
  @Override
  public String toString() {
    return "ServiceRequest[%s %s]".formatted(fields.get("method"), fields.get("path"));
  }
}
