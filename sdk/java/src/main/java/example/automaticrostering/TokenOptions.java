package example.automaticrostering;

/** Selects the token that {@link RosteringClient#getToken(TokenOptions)} returns. */
public final class TokenOptions {
  final boolean isForced;
  final String refused; // or null

  private TokenOptions(boolean isForced, String refused) {
    this.isForced = isForced;
    this.refused = refused;
  }

  /** Selects the cached token, or requests one if none is cached. */
  public static TokenOptions cached() {
    return new TokenOptions(false, null);
  }

  /** Selects a new token. If that fails, the cached one is kept. */
  public static TokenOptions force() {
    return new TokenOptions(true, null);
  }

  /** Selects another token than one that the service refused with 401. */
  public static TokenOptions refused(String accessToken) {
    return new TokenOptions(false, RosteringException.notNull(accessToken, "the access token"));
  }
}
