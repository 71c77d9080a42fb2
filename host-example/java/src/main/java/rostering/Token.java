package rostering;

import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * An access token. Printing it does not show the token itself.
 *
 * @param accessToken for the header {@code Authorization: Bearer <accessToken>}
 * @param tokenType Bearer
 * @param expiresAt when it expires
 * @param cacheKey names the token URL, client and scope that it belongs to; holds no secret
 */
public record Token(String accessToken, String tokenType, Instant expiresAt, String cacheKey) {
  /** The contract's token object. */
  record Fields(String accessToken, String tokenType, long expiresAt, String cacheKey) {
    Token token() {
      return new Token(accessToken, tokenType, Instant.ofEpochSecond(expiresAt), cacheKey);
    }
  }

  /**
   * Reads what {@link #toJson} wrote.
   *
   * @throws IllegalArgumentException if it is not a JSON object; the message does not show it
   */
  public static Token ofJson(String json) {
    try {
      return Json.read(json.getBytes(StandardCharsets.UTF_8), Fields.class).token();
    } catch (UncheckedIOException e) {
      throw new IllegalArgumentException("not a token object");
    }
  }

  /**
   * The token object with the token in it, for a store of your own: {@code access_token}, {@code
   * token_type}, {@code expires_at} (Unix seconds) and {@code cache_key}.
   */
  public String toJson() {
    return new String(Json.write(fields()), StandardCharsets.UTF_8);
  }

  Map<String, Object> fields() {
    var fields = new HashMap<String, Object>(); // takes null, which the plugin refuses
    fields.put("access_token", accessToken);
    fields.put("token_type", tokenType);
    fields.put("expires_at", expiresAt.getEpochSecond());
    fields.put("cache_key", cacheKey);
    return fields;
  }

  @Override
  public String toString() {
    return "Token[accessToken=[redacted], tokenType=%s, expiresAt=%s, cacheKey=%s]"
        .formatted(tokenType, expiresAt, cacheKey);
  }
}
