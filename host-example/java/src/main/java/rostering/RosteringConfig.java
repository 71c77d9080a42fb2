package rostering;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Whose jobs to list, and where. Each method returns a changed copy; null or an empty text unsets a
 * key. The plugin judges it at the first call: a {@link RosteringException} then names the key at
 * fault. Printing it does not show the secret.
 */
public final class RosteringConfig {
  /** Picks the scope. */
  public enum Environment {
    STAGE,
    PRODUCTION
  }

  final Map<String, String> keys;

  public RosteringConfig() {
    this(Map.of());
  }

  /** The keys are those of the plugin. */
  RosteringConfig(Map<String, String> keys) {
    this.keys = Map.copyOf(keys);
  }

  /** May be left out if there is a scope. */
  public RosteringConfig environment(Environment environment) {
    return with("environment", environment.name().toLowerCase(Locale.ROOT));
  }

  /** The identity provider's address: https, or http on loopback. */
  public RosteringConfig authUrl(String url) {
    return with("auth_url", url);
  }

  /** The service's address: https, or http on loopback. */
  public RosteringConfig baseUrl(String url) {
    return with("base_url", url);
  }

  public RosteringConfig clientId(String id) {
    return with("client_id", id);
  }

  public RosteringConfig clientSecret(String secret) {
    return with("client_secret", secret);
  }

  /** Sent with each request, unless the call has another. */
  public RosteringConfig customerId(String id) {
    return with("customer_id", id);
  }

  /** Sent with each request, unless the call has another. */
  public RosteringConfig userId(String id) {
    return with("user_id", id);
  }

  /** Overrides the environment's scope. */
  public RosteringConfig scope(String scope) {
    return with("scope", scope);
  }

  /** How long before its expiry a token is renewed, in whole seconds; a minute if not set. */
  public RosteringConfig refreshMargin(Duration margin) {
    return with("refresh_margin", margin.toSeconds());
  }

  /** Permits http beyond loopback, where anyone on the way can read the secret. */
  public RosteringConfig allowHttp(boolean allow) {
    return with("allow_http", allow);
  }

  private RosteringConfig with(String key, Object value) {
    var changed = new TreeMap<>(keys);
    changed.put(key, value == null ? "" : value.toString());
    return new RosteringConfig(changed);
  }

  @Override
  public String toString() {
    var shown = new TreeMap<>(keys);
    shown.replace("client_secret", "[redacted]");
    return "RosteringConfig" + shown;
  }
}
