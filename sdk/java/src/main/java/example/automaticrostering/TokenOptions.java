package example.automaticrostering;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Selects the token that {@link RosteringClient#getToken(TokenOptions)} returns. */
public final class TokenOptions {
  private final Function<Holder, CompletableFuture<Token>> select;

  private TokenOptions(Function<Holder, CompletableFuture<Token>> select) {
    this.select = select;
  }

  /** Selects the cached token, or a new one if there is none. */
  public static TokenOptions cached() {
    return new TokenOptions(holder -> holder.token(null));
  }

  /** Selects a new token. If that fails, the cached one is kept. */
  public static TokenOptions force() {
    return new TokenOptions(Holder::force);
  }

  /**
   * Selects another token than one that the service refused with 401: a new one, or the cached one
   * if that is another already.
   */
  public static TokenOptions refused(String accessToken) {
    Objects.requireNonNull(accessToken, "accessToken");
    return new TokenOptions(
        holder -> {
          holder.refuse(accessToken, false);
          return holder.token(accessToken);
        });
  }

  CompletableFuture<Token> of(Holder holder) {
    return select.apply(holder);
  }
}
