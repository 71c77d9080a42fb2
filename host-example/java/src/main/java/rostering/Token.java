package rostering;

import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * An access token. It does not show when it is printed.
 *
 * @param accessToken goes into the header {@code Authorization: Bearer <accessToken>}
 * @param tokenType is Bearer
 * @param expiresAt when it ends
 * @param cacheKey names the token URL, the client and the scope that it belongs to; no secret
 */
public record Token(String accessToken, String tokenType, Instant expiresAt, String cacheKey) {
  private record Wire(String accessToken, String tokenType, long expiresAt, String cacheKey) {}

  /**
   * Makes one of what {@link #toJson} gave.
   *
   * @throws IllegalArgumentException if it is no JSON object, without showing it
   */
  public static Token ofJson(String json) {
    try {
      return read(json.getBytes(StandardCharsets.UTF_8));
    } catch (UncheckedIOException e) {
      throw new IllegalArgumentException("this is no token object");
    }
  }

  static Token read(byte[] json) {
    var t = Json.read(json, Wire.class);
    return new Token(t.accessToken, t.tokenType, Instant.ofEpochSecond(t.expiresAt), t.cacheKey);
  }

  /**
   * The token with its secret part, for a store that other programs read: a JSON object of {@code
   * access_token}, {@code token_type}, {@code expires_at} (Unix seconds) and {@code cache_key}.
   */
  public String toJson() {
    return new String(Json.write(fields()), StandardCharsets.UTF_8);
  }

  /** The token as the plugin reads it. */
  Map<String, ?> fields() {
    var fields = new HashMap<String, Object>(); // which the plugin judges
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
