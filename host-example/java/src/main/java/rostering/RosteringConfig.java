package rostering;

import java.time.Duration;
import java.util.Locale;
import java.util.TreeMap;

/**
 * Whose jobs to list, and where. Each method changes this object; null or an empty text unsets a
 * key. The plugin checks it at the first call: a {@link RosteringException} then names the key at
 * fault. Printing it does not show the secret.
 */
public final class RosteringConfig {
  /** Picks the scope. */
  public enum Environment {
    STAGE,
    PRODUCTION
  }

  /** The plugin's keys. */
  final TreeMap<String, String> keys = new TreeMap<>();

  /** May be left out if there is a scope. */
  public RosteringConfig environment(Environment environment) {
    return set("environment", environment.name().toLowerCase(Locale.ROOT));
  }

  /** The identity provider's address: https, or http on loopback. */
  public RosteringConfig authUrl(String url) {
    return set("auth_url", url);
  }

  /** The service's address: https, or http on loopback. */
  public RosteringConfig baseUrl(String url) {
    return set("base_url", url);
  }

  public RosteringConfig clientId(String id) {
    return set("client_id", id);
  }

  public RosteringConfig clientSecret(String secret) {
    return set("client_secret", secret);
  }

  /** Sent with each request, unless the call has another. */
  public RosteringConfig customerId(String id) {
    return set("customer_id", id);
  }

  /** Sent with each request, unless the call has another. */
  public RosteringConfig userId(String id) {
    return set("user_id", id);
  }

  /** Overrides the environment's scope. */
  public RosteringConfig scope(String scope) {
    return set("scope", scope);
  }

  /** How long before its expiry a token is renewed, in whole seconds; a minute if not set. */
  public RosteringConfig refreshMargin(Duration margin) {
    return set("refresh_margin", margin.toSeconds());
  }

  /** Permits http beyond loopback, where anyone on the way can read the secret. */
  public RosteringConfig allowHttp(boolean allow) {
    return set("allow_http", allow);
  }

  private RosteringConfig set(String key, Object value) {
    keys.put(key, value == null ? "" : value.toString());
    return this;
  }

  @Override
  public String toString() {
    var shown = new TreeMap<>(keys);
    shown.replace("client_secret", "[redacted]");
    return "RosteringConfig" + shown;
  }
}
