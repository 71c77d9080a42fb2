package example.automaticrostering;

import static example.automaticrostering.RosteringException.notNull;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.grack.nanojson.JsonObject;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * An access token. Printing it does not show the token itself.
 *
 * @param accessToken for the header {@code Authorization: Bearer <accessToken>}
 * @param tokenType Bearer
 * @param expiresAt when it expires
 * @param cacheKey names whose token it is; holds no secret
 */
public record Token(String accessToken, String tokenType, Instant expiresAt, String cacheKey) {
  /** Refuses null for a field. */
  public Token {
    notNull(accessToken, "accessToken");
    notNull(tokenType, "tokenType");
    notNull(expiresAt, "expiresAt");
    notNull(cacheKey, "cacheKey");
  }

  /**
   * Reads a token that {@link #toJson} wrote.
   *
   * @throws IllegalArgumentException if it is no such object; the message does not show it
   */
  public static Token ofJson(String json) {
    try {
      return of(Json.read(notNull(json, "the JSON").getBytes(UTF_8)));
    } catch (RuntimeException | StackOverflowError e) { // the parser recurses
      throw new IllegalArgumentException("not a token object: pass what toJson() returned");
    }
  }

  static Token of(JsonObject fields) {
    return new Token(
        fields.getString("access_token"),
        fields.getString("token_type"),
        Instant.ofEpochSecond(fields.getLong("expires_at")),
        fields.getString("cache_key"));
  }

  /** {@return the token object, which shows the access token, for your own store} */
  public String toJson() {
    return new String(Json.write(fields()), UTF_8);
  }

  /** Returns the fields of the token object, to which the caller may add others. */
  Map<String, Object> fields() {
    var fields = new LinkedHashMap<String, Object>();
    fields.put("access_token", accessToken);
    fields.put("token_type", tokenType);
    fields.put("expires_at", expiresAt.getEpochSecond());
    fields.put("cache_key", cacheKey);
    return fields;
  }

  /** Returns the value of the header Authorization. */
  String header() {
    return "Bearer " + accessToken;
  }

  @Override
  public String toString() {
    return "Token[accessToken=[redacted], tokenType=%s, expiresAt=%s, cacheKey=%s]"
        .formatted(tokenType, expiresAt, cacheKey);
  }
}
