package example.automaticrostering;

import java.util.Map;

/** Selects the token that {@link RosteringClient#getToken(TokenOptions)} returns. */
public final class TokenOptions {
  private final Map<String, ?> input;

  private TokenOptions(Map<String, ?> input) {
    this.input = input;
  }

  /** Selects the cached token, or a new one if there is none. */
  public static TokenOptions cached() {
    return new TokenOptions(Map.of());
  }

  /** Selects a new token. If that fails, the cached one is kept. */
  public static TokenOptions force() {
    return new TokenOptions(Map.of("force", true));
  }

  /**
   * Selects another token than one that the service refused with 401: a new one, or the cached one
   * if that is another already.
   */
  public static TokenOptions refused(String accessToken) {
    return new TokenOptions(Map.of("refused", accessToken));
  }

  Map<String, ?> input() {
    return input;
  }
}
