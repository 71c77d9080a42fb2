package example.automaticrostering;

import static example.automaticrostering.RosteringException.notNull;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.Map;
import java.util.TreeMap;

/**
 * A request for {@link RosteringClient#sendRequest}. Each method changes the request and returns
 * it.
 */
public final class ServiceRequest {
  final TreeMap<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
  String path;
  String method = "GET";
  BodyPublisher body; // or null

  /** Creates a GET request. The path begins with a slash, and may have a query. */
  public ServiceRequest(String path) {
    this.path = notNull(path, "the path");
  }

  /** Puts a header of a caller among others. */
  static void put(Map<String, String> headers, String name, String value) {
    headers.put(notNull(name, "a header's name"), notNull(value, "a header"));
  }

  /** Sets the method: GET (the default), HEAD, POST, PUT, PATCH, DELETE or OPTIONS. */
  public ServiceRequest method(String method) {
    this.method = notNull(method, "the method");
    return this;
  }

  /** Adds a parameter to the query, encoded. */
  public ServiceRequest query(String name, String value) {
    path += (path.contains("?") ? "&" : "?") + encode(name) + "=" + encode(value);
    return this;
  }

  /** Sets a header. Authorization, the two ids and headers of the connection are reserved. */
  public ServiceRequest header(String name, String value) {
    put(headers, name, value);
    return this;
  }

  /** Sets the body to a string of JSON, and the header Content-Type unless there is one. */
  public ServiceRequest json(String json) {
    headers.putIfAbsent("Content-Type", "application/json");
    return body(json);
  }

  /** Sets the body, as UTF-8. */
  public ServiceRequest body(String string) {
    return body(BodyPublishers.ofString(Json.unicode(string)));
  }

  /** Sets the body. The bytes are not copied. */
  public ServiceRequest body(byte[] bytes) {
    return body(BodyPublishers.ofByteArray(notNull(bytes, "the body")));
  }

  /**
   * Sets the body, of any size. After a 401 it is sent again, for which {@code ofInputStream} needs
   * a new stream. One of {@code fromPublisher} or {@code concat} is not: the call ends with a
   * retryable {@code SERVICE_UNAUTHORIZED}. The body's own exceptions reach the caller unchanged; a
   * checked one, such as for a missing file, in an {@code UncheckedIOException}.
   */
  public ServiceRequest body(BodyPublisher body) {
    this.body = notNull(body, "the body");
    return this;
  }

  private static String encode(String string) {
    return URLEncoder.encode(Json.unicode(string), UTF_8);
  }
}
