package rostering;

import java.time.Instant;

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

  static Token read(byte[] json) {
    var t = Json.read(json, Wire.class);
    return new Token(t.accessToken, t.tokenType, Instant.ofEpochSecond(t.expiresAt), t.cacheKey);
  }

  @Override
  public String toString() {
    return "Token[accessToken=[redacted], tokenType=%s, expiresAt=%s, cacheKey=%s]"
        .formatted(tokenType, expiresAt, cacheKey);
  }
}
