package example.automaticrostering;

import static example.automaticrostering.RosteringException.notNull;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** A request for {@link RosteringClient#sendRequest}. */
public final class ServiceRequest {
  static final ServiceRequest LIST_JOBS = get("/jobs");

  /** The fields of the plugin's input. */
  final Map<String, ?> input;

  final Map<String, String> headers;

  final BodyPublisher body;

  private ServiceRequest(Map<String, ?> input, Map<String, String> headers, BodyPublisher body) {
    this.input = input;
    this.headers = headers;
    this.body = body;
  }

  /** Puts a header of a caller among others. */
  static void put(Map<String, String> headers, String name, String value) {
    headers.put(notNull(name, "a header's name"), notNull(value, "a header"));
  }

  /** Returns a GET request. The path begins with a slash, and may have a query. */
  public static ServiceRequest get(String path) {
    return builder(path).build();
  }

  /** Returns a builder of a request. The path begins with a slash, and may have a query. */
  public static Builder builder(String path) {
    return new Builder(path);
  }

  /** Builds a request; each method changes the builder and returns it. */
  public static final class Builder {
    private final TreeMap<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    private String path;
    private String method = "GET";
    private BodyPublisher body; // or null

    private Builder(String path) {
      this.path = notNull(path, "the path");
    }

    /** Sets the method: GET (the default), HEAD, POST, PUT, PATCH, DELETE or OPTIONS. */
    public Builder method(String method) {
      this.method = notNull(method, "the method");
      return this;
    }

    /** Adds a parameter to the query, encoded. */
    public Builder query(String name, String value) {
      path += (path.contains("?") ? "&" : "?") + encode(name) + "=" + encode(value);
      return this;
    }

    /** Sets a header. Authorization, the two ids and headers of the connection are reserved. */
    public Builder header(String name, String value) {
      put(headers, name, value);
      return this;
    }

    /** Sets the body to a string of JSON, and the header Content-Type unless there is one. */
    public Builder json(String json) {
      headers.putIfAbsent("Content-Type", "application/json");
      return body(json);
    }

    /** Sets the body, as UTF-8. */
    public Builder body(String string) {
      return body(BodyPublishers.ofString(Json.unicode(string)));
    }

    /** Sets the body. The bytes are not copied. */
    public Builder body(byte[] bytes) {
      return body(BodyPublishers.ofByteArray(notNull(bytes, "the body")));
    }

    /**
     * Sets the body, of any size. After a 401 it is sent again, for which {@code ofInputStream}
     * needs a new stream. One of {@code fromPublisher} or {@code concat} is not: the call ends with
     * a retryable {@code SERVICE_UNAUTHORIZED}.
     */
    public Builder body(BodyPublisher body) {
      this.body = notNull(body, "the body");
      return this;
    }

    /** Builds the request. */
    public ServiceRequest build() {
      var input = new HashMap<String, Object>();
      input.put("path", path);
      input.put("method", method);
      if (body != null) {
        input.put("body", true);
      }
      return new ServiceRequest(
          input, Map.copyOf(headers), body == null ? BodyPublishers.noBody() : body);
    }

    private static String encode(String string) {
      return URLEncoder.encode(Json.unicode(string), UTF_8);
    }
  }
}
