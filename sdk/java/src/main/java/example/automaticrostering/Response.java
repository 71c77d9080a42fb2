package example.automaticrostering;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.http.HttpHeaders;
import java.util.Map;

/**
 * The service's response. Its status is a 2xx or 304; any other is a {@link RosteringException}.
 *
 * @param status the HTTP status
 * @param headers the headers, by name in any case
 * @param body what the service sent, byte for byte
 */
public record Response(int status, HttpHeaders headers, byte[] body) {
  static final HttpHeaders NO_HEADERS = HttpHeaders.of(Map.of(), (name, value) -> true);

  /** Creates a response without headers, for a fake client in tests. */
  public static Response of(int status, String text) {
    return new Response(status, NO_HEADERS, text.getBytes(UTF_8));
  }

  /** Returns the fields of the plugin's input. */
  Map<String, ?> fields() {
    return Map.of("status", status, "headers", headers.map(), "body", text());
  }

  /** {@return the body as UTF-8} JSON libraries can read {@link #body} directly. */
  public String text() {
    return new String(body, UTF_8);
  }
}
