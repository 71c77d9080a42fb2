package example.automaticrostering;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;

/**
 * The service's answer. Its status is a 2xx; any other is a {@link RosteringException}.
 *
 * @param status the HTTP status
 * @param headers by their names, in any case
 * @param body byte for byte what the service sent
 */
public record Response(int status, HttpHeaders headers, byte[] body) {
  static Response of(HttpResponse<byte[]> response) {
    return new Response(response.statusCode(), response.headers(), response.body());
  }

  /**
   * Decodes the body.
   *
   * @return the body as UTF-8
   */
  public String text() {
    return new String(body, StandardCharsets.UTF_8);
  }

  /**
   * Reads the body as JSON.
   *
   * @return Jackson's tree
   * @throws java.io.UncheckedIOException if it is not JSON
   */
  public JsonNode json() {
    return Json.read(body, JsonNode.class);
  }
}
