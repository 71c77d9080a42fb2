package rostering;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/**
 * Whose jobs to list, and where. The plugin judges it at the first call: a {@link
 * RosteringException} then names the key at fault. Printing it does not show the secret.
 */
public final class RosteringConfig {
  private final Map<String, String> keys;

  /** The config as the plugin reads it. */
  RosteringConfig(Map<String, String> keys) {
    this.keys = Map.copyOf(keys);
  }

  public static Builder builder() {
    return new Builder(Map.of());
  }

  /** A builder that starts from this config. */
  public Builder toBuilder() {
    return new Builder(keys);
  }

  Map<String, String> keys() {
    return keys;
  }

  @Override
  public String toString() {
    var shown = new TreeMap<>(keys);
    shown.replace("client_secret", "[redacted]");
    return "RosteringConfig" + shown;
  }

  /** Builds a config. A null or empty value counts as not set. */
  public static final class Builder {
    private final Map<String, String> keys;

    private Builder(Map<String, String> keys) {
      this.keys = new TreeMap<>(keys);
    }

    /** May be left out if there is a scope. */
    public Builder environment(Environment environment) {
      return set("environment", environment);
    }

    /** The identity provider's address: https, or http on loopback. */
    public Builder authUrl(String url) {
      return set("auth_url", url);
    }

    /** The service's address: https, or http on loopback. */
    public Builder baseUrl(String url) {
      return set("base_url", url);
    }

    public Builder clientId(String id) {
      return set("client_id", id);
    }

    public Builder clientSecret(String secret) {
      return set("client_secret", secret);
    }

    /** Sent with each request, unless the call's input has another. */
    public Builder customerId(String id) {
      return set("customer_id", id);
    }

    /** Sent with each request, unless the call's input has another. */
    public Builder userId(String id) {
      return set("user_id", id);
    }

    /** Overrides the environment's scope. */
    public Builder scope(String scope) {
      return set("scope", scope);
    }

    /** How long before its expiry a token is renewed, in whole seconds; a minute if not set. */
    public Builder refreshMargin(Duration margin) {
      return set("refresh_margin", margin.toSeconds());
    }

    /** Permits http beyond loopback, where anyone on the way can read the secret. */
    public Builder allowHttp(boolean allow) {
      return set("allow_http", allow);
    }

    public RosteringConfig build() {
      return new RosteringConfig(keys);
    }

    @Override
    public String toString() {
      return build().toString();
    }

    private Builder set(String key, Object value) {
      keys.put(key, value == null ? "" : value.toString());
      return this;
    }
  }
}
