package example.automaticrostering;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Locale.ROOT;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import java.net.http.HttpHeaders;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
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

  /** What logs do not show, as it may have personal data. */
  private static final Set<String> CONTENT = Set.of("headers", "body", "body_truncated");

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
      return Stream.of(values()).filter(c -> c.toString().equals(name)).findAny().orElse(UNKNOWN);
    }

    /** {@return the contract's name, such as {@code service_error}} */
    @Override
    public String toString() {
      return name().toLowerCase(ROOT);
    }
  }

  /** Why there is no response. */
  public enum Reason {
    TIMEOUT,
    NAME_RESOLUTION,
    CONNECTION,
    TLS_CERTIFICATE,
    TLS,
    PROXY,
    PROTOCOL,
    CANCELED,
    OTHER;

    /** {@return the contract's name, such as {@code name_resolution}} */
    @Override
    public String toString() {
      return name().toLowerCase(ROOT);
    }
  }

  /**
   * What is missing or invalid in the config.
   *
   * @param key the contract's name of a field, such as {@code auth_url}
   * @param message how to fix it
   */
  public record Problem(String key, String message) {}

  /**
   * A request to the service.
   *
   * @param method the HTTP method
   * @param path as the program passed it, without the query
   */
  public record FailedRequest(String method, String path) {}

  /** The contract's fields, by its names. */
  private final JsonObject fields;

  /**
   * Creates an error, for a fake client in tests.
   *
   * @param details what else is known, by the contract's names: {@code Map.of("status", 503,
   *     "retry_after", 7)}
   */
  public RosteringException(Code code, String message, boolean retryable, Map<String, ?> details) {
    this(fields(code, message, retryable, details), null);
  }

  private RosteringException(JsonObject fields, Throwable cause) {
    super(message(fields), cause);
    this.fields = fields;
  }

  private static JsonObject fields(
      Code code, String message, boolean retryable, Map<String, ?> details) {
    var fields = new LinkedHashMap<String, Object>();
    fields.put("code", notNull(code, "the code").toString());
    fields.put("message", message);
    fields.put("retryable", retryable);
    fields.putAll(notNull(details, "the details"));
    return Json.read(Json.write(fields)); // with the types of an error of the plugin
  }

  /** {@code code: message (status 400, invalid_client: description)}. */
  private static String message(JsonObject fields) {
    var known = new ArrayList<String>();
    if (fields.has("status")) {
      known.add("status " + fields.get("status"));
    }
    if (fields.has("oauth_error")) {
      var description = fields.getString("oauth_error_description");
      known.add(fields.get("oauth_error") + (description == null ? "" : ": " + description));
    }
    var text = fields.get("code") + ": " + fields.get("message");
    return known.isEmpty() ? text : text + " (" + String.join(", ", known) + ")";
  }

  /** Returns this error with a text at the end of its message. */
  RosteringException and(String text) {
    return with(Map.of("message", fields.get("message") + text));
  }

  /** Returns this error with the advice of another one on a retry. */
  RosteringException advisedBy(RosteringException other) {
    var advice = new JsonObject(other.fields);
    advice.keySet().retainAll(Set.of("retryable", "retry_after"));
    return with(advice);
  }

  private RosteringException with(Map<String, ?> changes) {
    var changed = new JsonObject(fields);
    changed.putAll(changes);
    return new RosteringException(changed, getCause());
  }

  /**
   * Adds the caller's names of the field, or of all fields of the config that have a problem:
   * {@code (authUrl, ROSTERING_AUTH_URL)}.
   */
  private RosteringException named() {
    var problems = problems();
    var keys = problems.isEmpty() ? key().stream() : problems.stream().map(Problem::key);
    var names = new LinkedHashSet<String>();
    keys.forEach(
        key -> {
          var name = camelCase(key);
          if (!name.equals(key)) {
            names.add(name);
          }
          if (!problems.isEmpty()) {
            names.add("ROSTERING_" + key.toUpperCase(ROOT));
          }
        });
    return names.isEmpty() ? this : and(" (" + String.join(", ", names) + ")");
  }

  static String camelCase(String key) {
    return JOINT.matcher(key).replaceAll(joint -> joint.group(1).toUpperCase(ROOT));
  }

  /**
   * Reads an error of the plugin.
   *
   * @param failure why there was no response, or null
   */
  static RosteringException ofPlugin(byte[] json, Http.Failure failure) {
    JsonObject fields;
    try {
      fields = Json.read(json);
    } catch (IllegalArgumentException e) { // not an error of the contract
      throw ofBug(new String(json, UTF_8), e);
    }
    var isCause = failure != null && "network_error".equals(fields.get("code"));
    var error = new RosteringException(fields, isCause ? failure.getCause() : null).named();
    return Optional.of(Reason.TLS_CERTIFICATE).equals(error.reason()) ? error.and(TRUST) : error;
  }

  /** Returns what a call throws after a failure elsewhere, with the stack of this thread. */
  static RuntimeException thrown(Exception wrapper) {
    var failure = wrapper.getCause();
    if (failure instanceof RosteringException shared) {
      return shared.with(Map.of());
    }
    if (failure instanceof IllegalArgumentException misuse) {
      return misuse;
    }
    var isKnown = failure instanceof IllegalStateException;
    return new IllegalStateException(isKnown ? failure.getMessage() : Http.text(failure), failure);
  }

  static RosteringException ofBug(String what, Throwable cause) {
    var message = "the plugin failed, which is a bug; report it: " + what;
    return new RosteringException(fields(Code.PLUGIN_FAILED, message, false, Map.of()), cause);
  }

  static RosteringException ofConfig(Code code, String key, String message) {
    var problems = List.of(Map.of("key", key, "message", message));
    var details = Map.of("key", key, "problems", problems);
    return new RosteringException(code, message, false, details).named();
  }

  static RosteringException ofNetwork(Reason reason, String message, boolean retryable) {
    var details = Map.of("reason", reason.toString());
    return new RosteringException(Code.NETWORK_ERROR, message, retryable, details);
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
    return Code.of(fields.getString("code"));
  }

  /** {@return whether the same call may succeed later, after {@link #retryAfter} if known} */
  public boolean retryable() {
    return fields.getBoolean("retryable");
  }

  /** {@return the contract's name of what caused it, such as {@code auth_url}} */
  public Optional<String> key() {
    return string("key");
  }

  /** {@return all that is missing or invalid in the config; none if the error is another} */
  public List<Problem> problems() {
    return fields.getArray("problems", new JsonArray()).stream()
        .map(JsonObject.class::cast)
        .map(problem -> new Problem(problem.getString("key"), problem.getString("message")))
        .toList();
  }

  /** {@return the request to the service that failed} */
  public Optional<FailedRequest> request() {
    return Optional.ofNullable(fields.getObject("request"))
        .map(request -> new FailedRequest(request.getString("method"), request.getString("path")));
  }

  /** {@return why there is no response, for {@link Code#NETWORK_ERROR}} */
  public Optional<Reason> reason() {
    var name = fields.getString("reason");
    return Stream.of(Reason.values()).filter(reason -> reason.toString().equals(name)).findAny();
  }

  /** {@return the HTTP status of the response that caused the error} */
  public OptionalInt status() {
    return fields.has("status") ? OptionalInt.of(fields.getInt("status")) : OptionalInt.empty();
  }

  /** {@return the headers of the service's response; none if the error is not the service's} */
  public HttpHeaders headers() {
    var all = new TreeMap<String, List<String>>(String.CASE_INSENSITIVE_ORDER);
    fields
        .getObject("headers", new JsonObject())
        .forEach(
            (name, values) ->
                all.put(name, ((JsonArray) values).stream().map(String::valueOf).toList()));
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

  private Optional<String> string(String name) {
    return Optional.ofNullable(fields.getString(name));
  }

  /** {@return how long to wait before the next call} */
  public Optional<Duration> retryAfter() {
    return Optional.ofNullable(fields.getNumber("retry_after"))
        .map(seconds -> Duration.ofSeconds(seconds.longValue()));
  }

  /** {@return what is known as JSON with the contract's names, for logs: no headers and no body} */
  public String toJson() {
    var shown = new JsonObject(fields);
    shown.keySet().removeAll(CONTENT);
    return new String(Json.write(shown), UTF_8);
  }

  /** {@return all that is known as JSON with the contract's names, which may be personal data} */
  public String full() {
    return new String(Json.write(fields), UTF_8);
  }
}
