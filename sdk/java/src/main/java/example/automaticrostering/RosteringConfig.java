package example.automaticrostering;

import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/**
 * Whose jobs to list, and where. It is checked when a client opens: a {@link RosteringException}
 * then names the key that caused it. Printing it does not show the secret.
 */
public final class RosteringConfig {
  /** Picks the scope. */
  public enum Environment {
    /** The stage. */
    STAGE,
    /** The production. */
    PRODUCTION
  }

  private final Map<String, String> keys;

  private RosteringConfig(Map<String, String> keys) {
    this.keys = keys;
  }

  /** Starts to build a config. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Reads the environment variables {@code ROSTERING_ENVIRONMENT}, {@code _AUTH_URL}, {@code
   * _BASE_URL}, {@code _CLIENT_ID}, {@code _CLIENT_SECRET}, {@code _CUSTOMER_ID}, {@code _USER_ID},
   * {@code _SCOPE}, {@code _REFRESH_MARGIN} and {@code _ALLOW_HTTP}. An empty variable is a missing
   * one. A wrong value is a {@code CONFIG_INVALID} that names the variable.
   */
  public static RosteringConfig fromEnvironment() {
    return fromEnvironment(System.getenv());
  }

  static RosteringConfig fromEnvironment(Map<String, String> variables) {
    var any = "(?s).*";
    return builder()
        .read(variables, "environment", "stage|production")
        .read(variables, "auth_url", any)
        .read(variables, "base_url", any)
        .read(variables, "client_id", any)
        .read(variables, "client_secret", any)
        .read(variables, "customer_id", any)
        .read(variables, "user_id", any)
        .read(variables, "scope", any)
        .read(variables, "refresh_margin", "[0-9]+")
        .read(variables, "allow_http", "true|false")
        .build();
  }

  /** Returns null for a key that is not set. */
  String get(String key) {
    return keys.get(key);
  }

  Map<String, String> keys() {
    return keys;
  }

  /** What the plugin would not see: the SDK makes a question mark of a lone surrogate. */
  void check() {
    keys.forEach(
        (key, value) -> {
          if (!Json.isUnicode(value)) {
            throw RosteringException.ofConfig("config_invalid", key, key + " has a lone surrogate");
          }
        });
  }

  /** The plugin has checked the URLs, but permits host names that the JDK does not. */
  void checkHosts() {
    for (var key : new String[] {"auth_url", "base_url"}) {
      if (keys.containsKey(key) && URI.create(keys.get(key)).getHost() == null) {
        throw RosteringException.ofConfig(
            "config_invalid",
            key,
            "java.net.URI cannot read the host in " + key + "; use a name without an underscore");
      }
    }
  }

  @Override
  public String toString() {
    var shown = new TreeMap<>(keys);
    shown.replace("client_secret", "[redacted]");
    return "RosteringConfig" + shown;
  }

  /**
   * Builds a config; each method changes the builder and returns it. Null or an empty string unsets
   * a key.
   */
  public static final class Builder {
    private final Map<String, String> keys = new TreeMap<>();

    private Builder() {}

    /** Needed unless there is a scope. */
    public Builder environment(Environment environment) {
      return set(
          "environment",
          environment == null
              ? null
              : switch (environment) {
                case STAGE -> "stage";
                case PRODUCTION -> "production";
              });
    }

    /** The identity provider: https, or http on loopback. */
    public Builder authUrl(String url) {
      return set("auth_url", url);
    }

    /** The service: https, or http on loopback; it may have a path. */
    public Builder baseUrl(String url) {
      return set("base_url", url);
    }

    /** The client id of OAuth 2.0. */
    public Builder clientId(String id) {
      return set("client_id", id);
    }

    /** The client's secret, without the trailing newline of a file that it was read from. */
    public Builder clientSecret(String secret) {
      return set("client_secret", secret);
    }

    /** The customer of the calls, at most 256 bytes of visible ASCII. */
    public Builder customerId(String id) {
      return set("customer_id", id);
    }

    /** The user of the calls, at most 256 bytes of visible ASCII. */
    public Builder userId(String id) {
      return set("user_id", id);
    }

    /** Overrides the environment's scope: one or more, with a space between them. */
    public Builder scope(String scope) {
      return set("scope", scope);
    }

    /** How long before its expiry a token is renewed, in whole seconds; a minute if not set. */
    public Builder refreshMargin(Duration margin) {
      if (margin.isNegative() || margin.getNano() != 0) {
        throw new IllegalArgumentException(
            "refreshMargin must be zero or more, in whole seconds, not " + margin);
      }
      return set("refresh_margin", Long.toString(margin.getSeconds()));
    }

    /** Permits http beyond loopback, where anyone on the way can read the secret. */
    public Builder allowHttp(boolean allow) {
      return set("allow_http", Boolean.toString(allow));
    }

    /** Builds the config. */
    public RosteringConfig build() {
      return new RosteringConfig(Map.copyOf(keys));
    }

    Builder set(String key, String value) {
      if (value == null || value.isEmpty()) {
        keys.remove(key);
      } else {
        keys.put(key, value);
      }
      return this;
    }

    private Builder read(Map<String, String> variables, String key, String values) {
      var name = "ROSTERING_" + key.toUpperCase(java.util.Locale.ROOT);
      var value = variables.getOrDefault(name, "");
      if (!value.isEmpty() && !value.matches(values)) {
        throw RosteringException.ofConfig(
            "config_invalid", key, name + " must be " + values.replace("|", " or "));
      }
      return set(key, value);
    }
  }
}
