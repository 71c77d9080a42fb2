package rostering;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A call that failed. {@link #code()} is for programs to act on; the message is {@code code: what
 * to do}. It holds neither secrets nor tokens.
 */
public final class RosteringException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** The contract's error codes. */
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
    /** A code of a later plugin; {@link RosteringException#codeName()} has it. */
    UNKNOWN;

    static Code of(String name) {
      for (var code : values()) {
        if (code.toString().equals(name)) {
          return code;
        }
      }
      return UNKNOWN;
    }

    /** The code as the contract writes it. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The contract's error object; a field that it lacks is null. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  private record Fields(
      String code,
      String message,
      boolean retryable,
      String key,
      Integer status,
      String oauthError,
      String oauthErrorDescription,
      Long retryAfter,
      String body,
      Boolean bodyTruncated)
      implements Serializable {}

  private final Fields fields;

  private RosteringException(Fields fields, Throwable cause) {
    super(fields.code + ": " + fields.message, cause);
    this.fields = fields;
  }

  /** Reads the plugin's error text. The cause is why a request got no answer, or null. */
  static RuntimeException ofPlugin(String text, Throwable cause) {
    try {
      var fields = Json.read(text.getBytes(StandardCharsets.UTF_8), Fields.class);
      if (fields.code != null) {
        return new RosteringException(fields, cause);
      }
    } catch (UncheckedIOException e) {
      // not an error of the contract: a fault of the plugin
    }
    return new IllegalStateException("the plugin failed: " + text, cause);
  }

  static RosteringException timedOut(Duration timeout) {
    var message = "the call timed out after %s s".formatted(timeout.toMillis() / 1000.0);
    return of(Code.NETWORK_ERROR, message, true, null, null);
  }

  /** The 401 of a request that could not be repeated. */
  static RosteringException unrepeatable(Throwable cause) {
    var message = "the token was refused, and the request's body cannot be sent again: call again";
    return of(Code.SERVICE_UNAUTHORIZED, message, false, 401, cause);
  }

  private static RosteringException of(
      Code code, String message, boolean retryable, Integer status, Throwable cause) {
    return new RosteringException(
        new Fields(code.toString(), message, retryable, null, status, null, null, null, null, null),
        cause);
  }

  public Code code() {
    return Code.of(fields.code);
  }

  /** The code as text, also one that {@link Code} does not have. */
  public String codeName() {
    return fields.code;
  }

  /** Whether the same call may succeed later. */
  public boolean retryable() {
    return fields.retryable;
  }

  /** The config key or input field at fault. */
  public Optional<String> key() {
    return Optional.ofNullable(fields.key);
  }

  /** The status of the answer at fault. */
  public OptionalInt status() {
    return fields.status == null ? OptionalInt.empty() : OptionalInt.of(fields.status);
  }

  /** The identity provider's error (RFC 6749, section 5.2). */
  public Optional<String> oauthError() {
    return Optional.ofNullable(fields.oauthError);
  }

  public Optional<String> oauthErrorDescription() {
    return Optional.ofNullable(fields.oauthErrorDescription);
  }

  /** How long to wait before calling again. */
  public Optional<Duration> retryAfter() {
    return Optional.ofNullable(fields.retryAfter).map(Duration::ofSeconds);
  }

  /** The body of the service's answer as text, at most 64 KiB of it. */
  public Optional<String> body() {
    return Optional.ofNullable(fields.body);
  }

  /** Whether the answer's body was longer than that. */
  public boolean bodyTruncated() {
    return Boolean.TRUE.equals(fields.bodyTruncated);
  }

  /** The contract's error object, for logs that are read by programs. */
  public String toJson() {
    return new String(Json.write(fields), StandardCharsets.UTF_8);
  }
}
