package example.automaticrostering;

import static example.automaticrostering.RosteringException.notNull;
import static java.util.Locale.ROOT;

import example.automaticrostering.RosteringException.Code;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a client: its credentials, the URLs, and whose jobs to list. They are checked
 * when a client opens: a {@link RosteringException} then names the field that caused it. Printing a
 * config does not show the secret.
 */
public final class RosteringConfig {
  /** Selects the scope. */
  public enum Environment {
    STAGE,
    PRODUCTION
  }

  static final List<String> KEYS =
      List.of(
          "auth_url base_url client_id client_secret customer_id user_id scope environment"
              .concat(" refresh_margin allow_http")
              .split(" "));

  private final Map<String, String> keys;

  private RosteringConfig(Map<String, String> keys) {
    this.keys = keys;
  }

  /** Starts to build a config. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Reads {@code ROSTERING_AUTH_URL}, … {@code ROSTERING_ALLOW_HTTP}: one variable for each field.
   * An empty variable is a missing one. Opening a client checks the values.
   */
  public static RosteringConfig fromEnvironment() {
    return fromEnvironment(System.getenv());
  }

  /** Reads these variables from a map: {@link #fromEnvironment()}. */
  public static RosteringConfig fromEnvironment(Map<String, String> variables) {
    notNull(variables, "the variables");
    var builder = builder();
    for (var key : KEYS) {
      builder.set(key, variables.get("ROSTERING_" + key.toUpperCase(ROOT)));
    }
    return builder.build();
  }

  /** Returns the keys that are set. */
  Map<String, String> keys() {
    return keys;
  }

  /** Rejects host names that the JDK does not permit. The plugin has checked the rest. */
  void check() {
    for (var key : List.of("auth_url", "base_url")) {
      if (URI.create(keys.getOrDefault(key, "a://a")).getHost() == null) {
        var message =
            "has a host that java.net.URI does not accept: use letters, digits, dots, and hyphens"
                + " within a label, of which the last begins with a letter";
        throw RosteringException.ofConfig(Code.CONFIG_INVALID, key, message);
      }
    }
  }

  URI baseUrl() {
    if (!keys.containsKey("base_url")) {
      var message = "is not set: set it, because only requests to it get the token";
      throw RosteringException.ofConfig(Code.CONFIG_MISSING, "base_url", message);
    }
    return URI.create(keys.get("base_url"));
  }

  @Override
  public String toString() {
    var shown = new TreeMap<>(keys);
    shown.replace("client_secret", "[redacted]");
    return "RosteringConfig" + shown;
  }

  /**
   * Builds a config; each method changes the builder and returns it. Null or an empty string unsets
   * a field.
   */
  @SuppressWarnings("exports") // org.jspecify is for tools
  public static final class Builder {
    private final Map<String, String> keys = new TreeMap<>();

    private Builder() {}

    /** Sets the environment, which selects the scope; required unless a scope is set. */
    public Builder environment(@Nullable Environment environment) {
      return set("environment", environment == null ? null : environment.name().toLowerCase(ROOT));
    }

    /** Sets the URL of the identity provider: https, or http on loopback. */
    public Builder authUrl(@Nullable String url) {
      return set("auth_url", url);
    }

    /** Sets the URL of the service: https, or http on loopback; it may have a path. */
    public Builder baseUrl(@Nullable String url) {
      return set("base_url", url);
    }

    /** Sets the client id of OAuth 2.0. */
    public Builder clientId(@Nullable String id) {
      return set("client_id", id);
    }

    /** Sets the client's secret, without the trailing newline of a file. */
    public Builder clientSecret(@Nullable String secret) {
      return set("client_secret", secret);
    }

    /** Sets the customer of the calls, at most 256 bytes of visible ASCII. */
    public Builder customerId(@Nullable String id) {
      return set("customer_id", id);
    }

    /** Sets the user of the calls, at most 256 bytes of visible ASCII. */
    public Builder userId(@Nullable String id) {
      return set("user_id", id);
    }

    /** Sets one or more scopes, separated by spaces, instead of the environment's. */
    public Builder scope(@Nullable String scope) {
      return set("scope", scope);
    }

    /** Sets how long before its expiry a token is renewed, in whole seconds (default: 60 s). */
    public Builder refreshMargin(Duration margin) {
      if (notNull(margin, "refreshMargin").isNegative() || margin.getNano() != 0) {
        throw new IllegalArgumentException(
            "refreshMargin must be zero or more, in whole seconds, not " + margin);
      }
      return set("refresh_margin", Long.toString(margin.getSeconds()));
    }

    /** Permits http beyond loopback, where the network can read the secret. */
    public Builder allowHttp(boolean allow) {
      return set("allow_http", Boolean.toString(allow));
    }

    /** Builds the config. */
    public RosteringConfig build() {
      return new RosteringConfig(Map.copyOf(keys));
    }

    private Builder set(String key, String value) {
      if (value == null || value.isEmpty()) {
        keys.remove(key);
      } else {
        keys.put(key, value);
      }
      return this;
    }
  }
}
