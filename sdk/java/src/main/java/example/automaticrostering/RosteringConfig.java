package example.automaticrostering;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Whose jobs to list, and where. Each method changes this object; null or an empty text unsets a
 * key. It is checked when a client opens: a {@link RosteringException} then names the key at fault.
 * Printing it does not show the secret.
 */
public final class RosteringConfig {
  /** Picks the scope. */
  public enum Environment {
    /** The stage. */
    STAGE,
    /** The production. */
    PRODUCTION
  }

  private static final List<String> KEYS =
      List.of(
          "environment",
          "auth_url",
          "base_url",
          "client_id",
          "client_secret",
          "customer_id",
          "user_id",
          "scope",
          "refresh_margin",
          "allow_http");

  /** The plugin judges all else, and names the key. */
  private static final Map<String, String> VALUES =
      Map.of(
          "environment",
          "stage|production",
          "refresh_margin",
          "[0-9]+",
          "allow_http",
          "true|false");

  /** The plugin's keys. */
  final TreeMap<String, String> keys = new TreeMap<>();

  /** Begins with no key set. */
  public RosteringConfig() {}

  /**
   * Sets the environment, which may be left out if there is a scope.
   *
   * @param environment picks the scope
   * @return this object
   */
  public RosteringConfig environment(Environment environment) {
    return set("environment", environment.name().toLowerCase(Locale.ROOT));
  }

  /**
   * Sets the identity provider's address.
   *
   * @param url https, or http on loopback
   * @return this object
   */
  public RosteringConfig authUrl(String url) {
    return set("auth_url", url);
  }

  /**
   * Sets the service's address.
   *
   * @param url https, or http on loopback; it may have a path
   * @return this object
   */
  public RosteringConfig baseUrl(String url) {
    return set("base_url", url);
  }

  /**
   * Sets the client id of OAuth 2.0.
   *
   * @param id as the identity provider knows it
   * @return this object
   */
  public RosteringConfig clientId(String id) {
    return set("client_id", id);
  }

  /**
   * Sets the client's secret.
   *
   * @param secret without the newline of a file that it was read from
   * @return this object
   */
  public RosteringConfig clientSecret(String secret) {
    return set("client_secret", secret);
  }

  /**
   * Sets the customer of each request, unless the call has another.
   *
   * @param id visible ASCII, at most 256 bytes
   * @return this object
   */
  public RosteringConfig customerId(String id) {
    return set("customer_id", id);
  }

  /**
   * Sets the user of each request, unless the call has another.
   *
   * @param id visible ASCII, at most 256 bytes
   * @return this object
   */
  public RosteringConfig userId(String id) {
    return set("user_id", id);
  }

  /**
   * Overrides the environment's scope.
   *
   * @param scope one or more, with a space between them
   * @return this object
   */
  public RosteringConfig scope(String scope) {
    return set("scope", scope);
  }

  /**
   * Sets how long before its expiry a token is renewed; a minute if not set.
   *
   * @param margin counts in whole seconds
   * @return this object
   */
  public RosteringConfig refreshMargin(Duration margin) {
    return set("refresh_margin", margin.toSeconds());
  }

  /**
   * Permits http beyond loopback, where anyone on the way can read the secret.
   *
   * @param allow false if not set
   * @return this object
   */
  public RosteringConfig allowHttp(boolean allow) {
    return set("allow_http", allow);
  }

  /**
   * Reads the variables {@code ROSTERING_ENVIRONMENT}, {@code _AUTH_URL}, {@code _BASE_URL}, {@code
   * _CLIENT_ID}, {@code _CLIENT_SECRET}, {@code _CUSTOMER_ID}, {@code _USER_ID}, {@code _SCOPE},
   * {@code _REFRESH_MARGIN} and {@code _ALLOW_HTTP}. An empty variable is a missing one.
   *
   * @return the config
   * @throws RosteringException {@code CONFIG_INVALID}, which names the variable
   */
  public static RosteringConfig fromEnvironment() {
    return fromEnvironment(System.getenv());
  }

  static RosteringConfig fromEnvironment(Map<String, String> variables) {
    var config = new RosteringConfig();
    for (var key : KEYS) {
      var name = "ROSTERING_" + key.toUpperCase(Locale.ROOT);
      var value = variables.getOrDefault(name, "");
      var values = VALUES.get(key);
      if (!value.isEmpty() && values != null && !value.matches(values)) {
        throw RosteringException.ofConfig("config_invalid", key, name + " must be " + values);
      }
      config.set(key, value);
    }
    return config;
  }

  private RosteringConfig set(String key, Object value) {
    keys.put(key, value == null ? "" : value.toString());
    return this;
  }

  /** The address whose origin gets the token. */
  static URI baseUri(String url) {
    if (url == null || url.isEmpty()) {
      throw RosteringException.ofConfig(
          "config_missing", "base_url", "set base_url: only requests to it get the token");
    }
    var uri = URI.create(url); // the plugin has checked it
    if (uri.getHost() == null) {
      throw RosteringException.ofConfig(
          "config_invalid",
          "base_url",
          "java.net.URI cannot read the host in base_url; use a name without an underscore");
    }
    return uri;
  }

  @Override
  public String toString() {
    var shown = new TreeMap<>(keys);
    shown.replace("client_secret", "[redacted]");
    return "RosteringConfig" + shown;
  }
}
