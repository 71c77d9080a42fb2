package example.automaticrostering;

import static example.automaticrostering.RosteringException.notNull;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Locale.ROOT;

import example.automaticrostering.RosteringException.Code;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
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
    PRODUCTION;

    private String key() {
      return name().toLowerCase(ROOT);
    }
  }

  static final List<String> KEYS =
      List.of(
          "auth_url base_url client_id client_secret customer_id user_id scope environment"
              .concat(" refresh_margin allow_http")
              .split(" "));

  private static final int LONGEST_SECRET = 64 << 10;
  private static final Pattern SECONDS = Pattern.compile("[0-9]{1,9}");
  private static final Pattern NEWLINE = Pattern.compile("\\r?\\n\\z");

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
   * An empty variable is a missing one. Opening a client checks the values. In place of the secret,
   * {@code ROSTERING_CLIENT_SECRET_FILE} may name a file that has it.
   *
   * @throws RosteringException if that file cannot be read, or has no secret
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
    var file = variables.get("ROSTERING_CLIENT_SECRET_FILE");
    if (file != null && !file.isEmpty()) {
      if (builder.keys.containsKey("client_secret")) {
        throw wrongSecret("and ROSTERING_CLIENT_SECRET are both set: unset one of them");
      }
      builder.set("client_secret", readSecret(file));
    }
    return builder.build();
  }

  /** Reads the client secret from a file, without one newline at its end. */
  private static String readSecret(String file) {
    try (var opened = Files.newInputStream(Path.of(file))) {
      var bytes = opened.readNBytes(LONGEST_SECRET + 1);
      if (bytes.length > LONGEST_SECRET) {
        throw wrongFile("has more than 64 KiB");
      }
      var text = UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
      var secret = NEWLINE.matcher(text).replaceFirst("");
      if (secret.isEmpty()) {
        throw wrongFile("is empty");
      }
      return secret;
    } catch (CharacterCodingException e) {
      throw wrongFile("is not UTF-8");
    } catch (IOException | InvalidPathException e) {
      throw wrongFile("is missing or cannot be read");
    }
  }

  private static RosteringException wrongFile(String what) {
    return wrongSecret("names a file that " + what + ": it must have the client secret alone");
  }

  private static RosteringException wrongSecret(String what) {
    var message = "ROSTERING_CLIENT_SECRET_FILE " + what;
    var problem = Map.of("key", "client_secret", "message", message);
    var details = Map.of("key", "client_secret", "problems", List.of(problem));
    return new RosteringException(Code.CONFIG_INVALID, message, false, details);
  }

  /** {@return the environment, if it is set and valid} */
  public Optional<Environment> environment() {
    return Stream.of(Environment.values())
        .filter(e -> e.key().equals(keys.get("environment")))
        .findAny();
  }

  /** {@return the URL of the identity provider} */
  public Optional<String> authUrl() {
    return get("auth_url");
  }

  /** {@return the URL of the service} */
  public Optional<String> baseUrl() {
    return get("base_url");
  }

  /** {@return the client id} */
  public Optional<String> clientId() {
    return get("client_id");
  }

  /** {@return the client's secret} */
  public Optional<String> clientSecret() {
    return get("client_secret");
  }

  /** {@return the customer of the calls} */
  public Optional<String> customerId() {
    return get("customer_id");
  }

  /** {@return the user of the calls} */
  public Optional<String> userId() {
    return get("user_id");
  }

  /** {@return the scope, if it is not the environment's} */
  public Optional<String> scope() {
    return get("scope");
  }

  /** {@return how long before its expiry a token is renewed, if it is set and valid} */
  public Optional<Duration> refreshMargin() {
    return get("refresh_margin")
        .filter(SECONDS.asMatchPredicate())
        .map(Long::valueOf)
        .map(Duration::ofSeconds);
  }

  /** {@return whether http is permitted beyond loopback} */
  public boolean allowHttp() {
    return "true".equals(keys.get("allow_http"));
  }

  private Optional<String> get(String key) {
    return Optional.ofNullable(keys.get(key));
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

  URI service() {
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
      return set("environment", environment == null ? null : environment.key());
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
