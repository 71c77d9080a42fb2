package rostering;

import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Says whose jobs to list and where. The plugin judges it when it is first used: a {@link
 * RosteringException} then names the key at fault. The secret does not show when it is printed.
 */
public final class RosteringConfig {
  /** The time-out of those who set none. */
  public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);

  private final Map<String, String> keys;
  private final Duration timeout;

  private RosteringConfig(Builder builder) {
    keys = Map.copyOf(builder.keys);
    timeout = builder.timeout;
  }

  public static Builder builder() {
    return new Builder();
  }

  /** A builder that starts from this config. */
  public Builder toBuilder() {
    var builder = new Builder();
    builder.keys.putAll(keys);
    return builder.timeout(timeout);
  }

  /** The config as the plugin reads it. */
  Map<String, String> keys() {
    return keys;
  }

  Duration timeout() {
    return timeout;
  }

  /** The hosts of both addresses: the only ones that the plugin may call. */
  String[] hosts() {
    return Stream.of("auth_url", "base_url").flatMap(this::host).distinct().toArray(String[]::new);
  }

  private Stream<String> host(String key) {
    try {
      // With the brackets of an IPv6 address: the SDK compares what this method gives.
      return Stream.ofNullable(URI.create(keys.getOrDefault(key, "")).getHost());
    } catch (IllegalArgumentException e) {
      return Stream.empty(); // the plugin says what is wrong with it
    }
  }

  @Override
  public String toString() {
    var shown = new TreeMap<>(keys);
    shown.replace("client_secret", "[redacted]");
    return "RosteringConfig" + shown;
  }

  /** Builds a config. What is null or empty counts as not set. */
  public static final class Builder {
    private final Map<String, String> keys = new TreeMap<>();
    private Duration timeout = DEFAULT_TIMEOUT;

    private Builder() {}

    /** Must be stage or production; may be left out if there is a scope. */
    public Builder environment(String environment) {
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

    /** Sent with each request, unless {@link JobsInput} says otherwise. */
    public Builder customerId(String id) {
      return set("customer_id", id);
    }

    /** Sent with each request, unless {@link JobsInput} says otherwise. */
    public Builder userId(String id) {
      return set("user_id", id);
    }

    /** Replaces the environment's scope. */
    public Builder scope(String scope) {
      return set("scope", scope);
    }

    /** How long before its expiry a token is renewed, in whole seconds; a minute if not set. */
    public Builder refreshMargin(Duration margin) {
      return set("refresh_margin", Long.toString(margin.toSeconds()));
    }

    /** Permits http beyond loopback, where anyone on the way can read the secret. */
    public Builder allowHttp(boolean allow) {
      return set("allow_http", Boolean.toString(allow));
    }

    /** Bounds one call with all its requests. Waiting for other threads does not count. */
    public Builder timeout(Duration timeout) {
      this.timeout = timeout;
      return this;
    }

    public RosteringConfig build() {
      return new RosteringConfig(this);
    }

    @Override
    public String toString() {
      return build().toString();
    }

    private Builder set(String key, String value) {
      keys.put(key, value == null ? "" : value);
      return this;
    }
  }
}
