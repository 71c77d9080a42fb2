package rostering;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;

/**
 * The service's answer. Its status is a 2xx; any other is a {@link RosteringException}.
 *
 * @param body byte for byte what the service sent
 */
public record Response(int status, HttpHeaders headers, byte[] body) {
  static Response of(HttpResponse<byte[]> response) {
    return new Response(response.statusCode(), response.headers(), response.body());
  }

  /** The body as UTF-8. */
  public String text() {
    return new String(body, StandardCharsets.UTF_8);
  }

  /** The body as JSON, or an UncheckedIOException. */
  public JsonNode json() {
    return Json.read(body, JsonNode.class);
  }
}
