package example.automaticrostering;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.io.UncheckedIOException;
import java.time.Instant;

/**
 * An access token. Printing it does not show the token itself.
 *
 * @param accessToken for the header {@code Authorization: Bearer <accessToken>}
 * @param tokenType Bearer
 * @param expiresAt when it expires
 * @param cacheKey names the token URL, client and scope that it belongs to; holds no secret
 */
public record Token(String accessToken, String tokenType, Instant expiresAt, String cacheKey) {
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Fields(String accessToken, String tokenType, long expiresAt, String cacheKey, Long now) {
    Token token() {
      return new Token(accessToken, tokenType, Instant.ofEpochSecond(expiresAt), cacheKey);
    }
  }

  /**
   * Reads a token that {@link #toJson} wrote.
   *
   * @throws IllegalArgumentException if it is not a JSON object; the message does not show it
   */
  public static Token ofJson(String json) {
    try {
      return Json.read(json.getBytes(UTF_8), Fields.class).token();
    } catch (UncheckedIOException e) {
      throw new IllegalArgumentException("not a token object: pass what toJson() returned");
    }
  }

  /** {@return the token object, which shows the access token, for your own store} */
  public String toJson() {
    return new String(input(null), UTF_8);
  }

  /** What {@code set_token} takes. */
  byte[] input(Long now) {
    return Json.write(
        new Fields(accessToken, tokenType, expiresAt.getEpochSecond(), cacheKey, now));
  }

  @Override
  public String toString() {
    return "Token[accessToken=[redacted], tokenType=%s, expiresAt=%s, cacheKey=%s]"
        .formatted(tokenType, expiresAt, cacheKey);
  }
}
