package rostering;

import java.time.Duration;
import java.util.Map;

/** The input of {@link Rostering#getToken(TokenInput)}. Printing it shows no token. */
public final class TokenInput extends CallInput<TokenInput> {
  private TokenInput(Map<String, Object> fields, Duration timeout) {
    super(fields, timeout);
  }

  /** The cached token, or a new one if it is due. */
  public static TokenInput cached() {
    return new TokenInput(Map.of(), null);
  }

  /** Requests a new token in any case. If that fails, the cached one is kept. */
  public static TokenInput force() {
    return cached().with("force", true);
  }

  /**
   * Replaces a token that the service answered 401 to, in a request of your own. If the cached
   * token is another one by now, that is the answer.
   */
  public static TokenInput refused(String accessToken) {
    return cached().with("refused", accessToken);
  }

  @Override
  TokenInput copy(Map<String, Object> fields, Duration timeout) {
    return new TokenInput(fields, timeout);
  }
}
