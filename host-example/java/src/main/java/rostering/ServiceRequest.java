package rostering;

import java.util.Map;
import java.util.TreeMap;

/**
 * A request to another path of the service. The plugin judges it before anything is sent, and adds
 * the token and the two ids.
 */
public final class ServiceRequest extends CallInput<ServiceRequest> {
  private final Map<String, String> headers;

  private ServiceRequest(Map<String, Object> fields, Map<String, String> headers) {
    super(fields);
    this.headers = headers;
  }

  /** GET of a path, which begins with a slash, stays under base_url, and may have a query. */
  public static ServiceRequest get(String path) {
    return of("GET", path);
  }

  /**
   * @param method GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS
   */
  public static ServiceRequest of(String method, String path) {
    return new ServiceRequest(Map.of("method", method, "path", path), Map.of());
  }

  /** Not for Authorization, CUSTOMER_ID, USER_ID, Host, Content-Length, Connection and the like. */
  public ServiceRequest withHeader(String name, String value) {
    var more = new TreeMap<>(headers);
    more.put(name, value);
    return new ServiceRequest(with("headers", more).fields(), more);
  }

  /** Sent as UTF-8. GET and HEAD take none. */
  public ServiceRequest withBody(String body) {
    return with("body", body);
  }

  @Override
  ServiceRequest copy(Map<String, Object> fields) {
    return new ServiceRequest(fields, headers);
  }

  /** Headers and body may hold what nobody should read. */
  @Override
  public String toString() {
    return "ServiceRequest[%s %s]".formatted(fields().get("method"), fields().get("path"));
  }
}
