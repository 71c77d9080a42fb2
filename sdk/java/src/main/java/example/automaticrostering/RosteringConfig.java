package example.automaticrostering;

import static example.automaticrostering.RosteringException.notNull;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Locale.ROOT;

import example.automaticrostering.RosteringException.Code;
import java.io.IOException;
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
import org.jspecify.annotations.Nullable;

/**
 * The settings of a client: its credentials, the URLs, and whose jobs to list. Each method changes
 * the config and returns it; null or an empty string unsets a field. Opening a client copies and
 * checks them: a {@link RosteringException} then names the field that caused it. Printing a config
 * does not show the secret.
 */
@SuppressWarnings("exports") // org.jspecify is for tools
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
          "auth_url",
          "base_url",
          "client_id",
          "client_secret",
          "customer_id",
          "user_id",
          "scope",
          "environment",
          "refresh_margin",
          "allow_http");

  private static final int LONGEST_SECRET = 64 << 10;
  private static final Pattern NEWLINE = Pattern.compile("\\r?\\n\\z");

  private final Map<String, String> keys = new TreeMap<>();

  /** Creates a config without a field. */
  public RosteringConfig() {}

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
    var config = new RosteringConfig();
    for (var key : KEYS) {
      config.set(key, variables.get("ROSTERING_" + key.toUpperCase(ROOT)));
    }
    var file = variables.get("ROSTERING_CLIENT_SECRET_FILE");
    if (file != null && !file.isEmpty()) {
      if (config.keys.containsKey("client_secret")) {
        throw wrongSecret("and ROSTERING_CLIENT_SECRET are both set: unset one of them");
      }
      config.set("client_secret", readSecret(file));
    }
    return config;
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
    return RosteringException.ofConfig(Code.CONFIG_INVALID, "client_secret", message);
  }

  /**
   * {@return a field, if it is set}
   *
   * @param key the contract's name, such as {@code client_secret}
   * @throws IllegalArgumentException if there is no such field
   */
  public Optional<String> get(String key) {
    if (!KEYS.contains(notNull(key, "the key"))) {
      throw new IllegalArgumentException(key + " is no field of the config, such as auth_url");
    }
    return Optional.ofNullable(keys.get(key));
  }

  /** Returns a copy of the keys that are set. */
  Map<String, String> keys() {
    return Map.copyOf(keys);
  }

  @Override
  public String toString() {
    var shown = new TreeMap<>(keys);
    shown.replace("client_secret", "[redacted]");
    return "RosteringConfig" + shown;
  }

  /** Sets the environment, which selects the scope; required unless a scope is set. */
  public RosteringConfig environment(@Nullable Environment environment) {
    return set("environment", environment == null ? null : environment.key());
  }

  /** Sets the URL of the identity provider: https, or http on loopback. */
  public RosteringConfig authUrl(@Nullable String url) {
    return set("auth_url", url);
  }

  /** Sets the URL of the service: https, or http on loopback; it may have a path. */
  public RosteringConfig baseUrl(@Nullable String url) {
    return set("base_url", url);
  }

  /** Sets the client id of OAuth 2.0. */
  public RosteringConfig clientId(@Nullable String id) {
    return set("client_id", id);
  }

  /** Sets the client's secret, without the trailing newline of a file. */
  public RosteringConfig clientSecret(@Nullable String secret) {
    return set("client_secret", secret);
  }

  /** Sets the customer of the calls, at most 256 bytes of visible ASCII. */
  public RosteringConfig customerId(@Nullable String id) {
    return set("customer_id", id);
  }

  /** Sets the user of the calls, at most 256 bytes of visible ASCII. */
  public RosteringConfig userId(@Nullable String id) {
    return set("user_id", id);
  }

  /** Sets one or more scopes, separated by spaces, instead of the environment's. */
  public RosteringConfig scope(@Nullable String scope) {
    return set("scope", scope);
  }

  /** Sets how long before its expiry a token is renewed, in whole seconds (default: 60 s). */
  public RosteringConfig refreshMargin(Duration margin) {
    if (notNull(margin, "refreshMargin").isNegative() || margin.getNano() != 0) {
      throw new IllegalArgumentException(
          "refreshMargin must be zero or more, in whole seconds, not " + margin);
    }
    return set("refresh_margin", Long.toString(margin.getSeconds()));
  }

  /** Permits http beyond loopback, where the network can read the secret. */
  public RosteringConfig allowHttp(boolean allow) {
    return set("allow_http", Boolean.toString(allow));
  }

  private RosteringConfig set(String key, String value) {
    if (value == null || value.isEmpty()) {
      keys.remove(key);
    } else {
      keys.put(key, value);
    }
    return this;
  }
}
