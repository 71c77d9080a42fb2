package example.automaticrostering;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Locale.ROOT;

import java.net.http.HttpHeaders;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A failed call. Its code is for programs to act on; its message explains how to fix it. It
 * contains no secrets and no tokens.
 */
public final class RosteringException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private static final Pattern JOINT = Pattern.compile("_([a-z])");

  private static final String TRUST =
      "; if the certificate is right, trust its CA with -Djavax.net.ssl.trustStore=FILE"
          + " or with the SSLContext of your httpClient";

  /**
   * The contract's error codes, which docs/errors.md explains. {@link #PLUGIN_FAILED} is a bug or a
   * lack of memory, {@link #UNKNOWN} a code of a newer plugin: {@link #toJson} has its name.
   */
  public enum Code {
    INVALID_INPUT,
    CONFIG_MISSING,
    CONFIG_INVALID,
    CLOCK_UNUSABLE,
    TOKEN_ENDPOINT_REJECTED,
    TOKEN_ENDPOINT_UNAVAILABLE,
    TOKEN_RESPONSE_INVALID,
    TOKEN_MISMATCH,
    SERVICE_UNAUTHORIZED,
    SERVICE_ERROR,
    NETWORK_ERROR,
    PLUGIN_FAILED,
    UNKNOWN;

    static Code of(String name) {
      return Stream.of(values())
          .filter(c -> c.name().equalsIgnoreCase(name))
          .findAny()
          .orElse(UNKNOWN);
    }
  }

  /** The contract's fields, by its names. */
  final LinkedHashMap<String, Object> fields;

  /**
   * Creates an error, for a fake client in tests.
   *
   * @param details what else is known, by the contract's names: {@code Map.of("status", 503,
   *     "retry_after", 7)}
   */
  public RosteringException(Code code, String message, boolean retryable, Map<String, ?> details) {
    this(fields(code.name().toLowerCase(ROOT), message, retryable, details), null);
  }

  private RosteringException(LinkedHashMap<String, Object> fields, Throwable cause) {
    super(message(fields), cause);
    this.fields = fields;
  }

  private static LinkedHashMap<String, Object> fields(
      String code, String message, boolean retryable, Map<String, ?> details) {
    var fields = new LinkedHashMap<String, Object>();
    fields.put("code", code);
    fields.put("message", message);
    fields.put("retryable", retryable);
    fields.putAll(details);
    return fields;
  }

  /** {@code code: message (status 400, invalid_client: description)}. */
  private static String message(Map<String, Object> fields) {
    var known = new ArrayList<String>();
    if (fields.containsKey("status")) {
      known.add("status " + fields.get("status"));
    }
    if (fields.containsKey("oauth_error")) {
      var description = fields.get("oauth_error_description");
      known.add(fields.get("oauth_error") + (description == null ? "" : ": " + description));
    }
    var text = fields.get("code") + ": " + fields.get("message");
    return known.isEmpty() ? text : text + " (" + String.join(", ", known) + ")";
  }

  /**
   * Appends the caller's names of a field, or of all fields of the config that the message names:
   * {@code (authUrl, ROSTERING_AUTH_URL)}.
   */
  private static String withNames(String message, String code, Object key) {
    if (key == null) {
      return message;
    }
    var isConfig = code.startsWith("config_");
    var fields = new LinkedHashSet<>(isConfig ? List.of(message.split("[^a-z_]+")) : List.of());
    fields.retainAll(RosteringConfig.KEYS);
    fields.remove((String) key);
    fields.add((String) key); // the last one
    var names = new StringJoiner(", ", " (", ")").setEmptyValue("");
    for (var field : fields) {
      var name = JOINT.matcher(field).replaceAll(joint -> joint.group(1).toUpperCase(ROOT));
      if (!name.equals(field)) {
        names.add(name);
      }
      if (isConfig) {
        names.add("ROSTERING_" + field.toUpperCase(ROOT));
      }
    }
    return message + names;
  }

  /**
   * Reads an error of the plugin.
   *
   * @param failure why there was no response, or null
   */
  static RosteringException ofPlugin(byte[] json, Http.Failure failure) {
    LinkedHashMap<String, Object> fields;
    try {
      fields = new LinkedHashMap<>(Json.read(json));
    } catch (IllegalArgumentException e) { // not an error of the contract
      throw ofBug(new String(json, UTF_8), e);
    }
    var code = String.valueOf(fields.get("code"));
    fields.computeIfPresent("message", (f, m) -> withNames((String) m, code, fields.get("key")));
    if (!code.equals("network_error") || failure == null) {
      return new RosteringException(fields, null);
    }
    if (failure.isUntrusted) {
      fields.put("retryable", false);
      fields.remove("retry_after");
      fields.computeIfPresent("message", (f, m) -> m + TRUST);
    }
    return new RosteringException(fields, failure.getCause());
  }

  /** Returns what a call throws after a failure elsewhere, with the stack of this thread. */
  static RuntimeException thrown(Exception wrapper) {
    var failure = wrapper.getCause();
    if (failure instanceof RosteringException shared) {
      return new RosteringException(shared.fields, shared.getCause());
    }
    if (failure instanceof IllegalArgumentException misuse) {
      return misuse;
    }
    var isKnown = failure instanceof IllegalStateException;
    return new IllegalStateException(isKnown ? failure.getMessage() : Http.text(failure), failure);
  }

  /** Returns this error with other fields. */
  RosteringException with(Map<String, ?> changes) {
    var changed = new LinkedHashMap<>(fields);
    changed.putAll(changes);
    return new RosteringException(changed, getCause());
  }

  static RosteringException ofBug(String what, Throwable cause) {
    var message = "the plugin failed, which is a bug; report it: " + what;
    return new RosteringException(fields("plugin_failed", message, false, Map.of()), cause);
  }

  /** Creates an error of the config; the message begins with the key. */
  static RosteringException ofConfig(String code, String key, String message) {
    var named = withNames(key + " " + message, code, key);
    return new RosteringException(fields(code, named, false, Map.of("key", key)), null);
  }

  static RosteringException ofNetwork(String message, boolean retryable) {
    return new RosteringException(Code.NETWORK_ERROR, message, retryable, Map.of());
  }

  /** Refuses null for an argument. */
  static <T> T notNull(T argument, String name) {
    if (argument == null) {
      throw new IllegalArgumentException(name + " must not be null");
    }
    return argument;
  }

  /** {@return the code, or {@link Code#UNKNOWN}} */
  public Code code() {
    return Code.of((String) fields.get("code"));
  }

  /** {@return whether the same call may succeed later, after {@link #retryAfter} if known} */
  public boolean retryable() {
    return Boolean.TRUE.equals(fields.get("retryable"));
  }

  /** {@return the contract's name of what caused it, such as {@code auth_url}} */
  public Optional<String> key() {
    return string("key");
  }

  /** {@return the HTTP status of the response that caused the error} */
  public OptionalInt status() {
    return fields.get("status") instanceof Number n
        ? OptionalInt.of(n.intValue())
        : OptionalInt.empty();
  }

  /** {@return the headers of the service's response; none if the error is not the service's} */
  public HttpHeaders headers() {
    var all = new TreeMap<String, List<String>>(String.CASE_INSENSITIVE_ORDER);
    if (fields.get("headers") instanceof Map<?, ?> headers) {
      headers.forEach(
          (name, values) -> {
            var kept = all.computeIfAbsent((String) name, n -> new ArrayList<>());
            (values instanceof List<?> list ? list : List.of(values))
                .forEach(value -> kept.add((String) value));
          });
    }
    return HttpHeaders.of(all, (name, value) -> true);
  }

  /** {@return the body of the service's response, up to 4 KiB, without secrets and tokens} */
  public Optional<String> body() {
    return string("body");
  }

  /** {@return {@code error} of the token endpoint's response, such as {@code invalid_client}} */
  public Optional<String> oauthError() {
    return string("oauth_error");
  }

  /** {@return {@code error_description} of the token endpoint's response} */
  public Optional<String> oauthErrorDescription() {
    return string("oauth_error_description");
  }

  /** {@return how long to wait before the next call} */
  public Optional<Duration> retryAfter() {
    return fields.get("retry_after") instanceof Number n
        ? Optional.of(Duration.ofSeconds(n.longValue()))
        : Optional.empty();
  }

  /** {@return all that is known but the headers, as JSON with the contract's names} */
  public String toJson() {
    var shown = new LinkedHashMap<>(fields);
    shown.remove("headers");
    return new String(Json.write(shown), UTF_8);
  }

  private Optional<String> string(String name) {
    return fields.get(name) instanceof String s ? Optional.of(s) : Optional.empty();
  }
}
