package example.automaticrostering;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.util.Map;

/**
 * The service's response. Its status is a 2xx or 304; any other is a {@link RosteringException}.
 *
 * @param status the HTTP status
 * @param headers by their names, in any case
 * @param body byte for byte what the service sent
 */
public record Response(int status, HttpHeaders headers, byte[] body) {
  static final HttpHeaders NO_HEADERS = HttpHeaders.of(Map.of(), (name, value) -> true);

  /** Makes a response without headers, for a fake of a client in tests. */
  public static Response of(int status, String text) {
    return new Response(status, NO_HEADERS, text.getBytes(UTF_8));
  }

  /** The JDK has no body for the response of a proxy that refuses to connect. */
  static Response of(HttpResponse<byte[]> response) {
    var body = response.body() == null ? new byte[0] : response.body();
    return new Response(response.statusCode(), response.headers(), body);
  }

  /** {@return the body as UTF-8} A JSON library reads {@link #body} itself. */
  public String text() {
    return new String(body, UTF_8);
  }
}
