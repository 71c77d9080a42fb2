package rostering;

import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Why a call failed. {@link #code()} is for programs to act on, {@link #getMessage()} says what to
 * do, for people to read. It holds neither secrets nor tokens.
 */
public final class RosteringException extends RuntimeException {
  public static final String INVALID_INPUT = "invalid_input";
  public static final String CONFIG_MISSING = "config_missing";
  public static final String CONFIG_INVALID = "config_invalid";
  public static final String CLOCK_UNUSABLE = "clock_unusable";
  public static final String TOKEN_ENDPOINT_REJECTED = "token_endpoint_rejected";
  public static final String TOKEN_ENDPOINT_UNAVAILABLE = "token_endpoint_unavailable";
  public static final String TOKEN_RESPONSE_INVALID = "token_response_invalid";
  public static final String TOKEN_MISMATCH = "token_mismatch";
  public static final String SERVICE_UNAUTHORIZED = "service_unauthorized";
  public static final String SERVICE_ERROR = "service_error";
  public static final String NETWORK_ERROR = "network_error";

  private static final long serialVersionUID = 1;

  /** The contract's error object; what is not known is null or false. */
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
      boolean bodyTruncated)
      implements Serializable {}

  private final Fields fields;

  private RosteringException(Fields fields, Throwable cause) {
    super(fields.code + ": " + fields.message, cause);
    this.fields = fields;
  }

  /** Reads the plugin's error text. */
  static RuntimeException ofPlugin(String text, Throwable cause) {
    try {
      var fields = Json.read(text.getBytes(StandardCharsets.UTF_8), Fields.class);
      if (fields.code != null) {
        return new RosteringException(fields, cause);
      }
    } catch (UncheckedIOException e) {
      cause.addSuppressed(e);
    }
    return new IllegalStateException("the plugin failed: " + text, cause);
  }

  /**
   * A request that got no answer ends the call in the SDK, before the plugin learns of it. The
   * cause is the SDK's exception.
   */
  static RosteringException ofLostRequest(RuntimeException cause) {
    var reason = cause.getCause() == null ? cause : cause.getCause();
    return noAnswer(reason.getMessage(), cause);
  }

  static RosteringException noAnswer(String message, Throwable cause) {
    return new RosteringException(
        new Fields(NETWORK_ERROR, message, true, null, null, null, null, null, null, false), cause);
  }

  /** One of the codes above; a later plugin may have more. */
  public String code() {
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

  /** How long the plugin will send no further token request. */
  public Optional<Duration> retryAfter() {
    return Optional.ofNullable(fields.retryAfter).map(Duration::ofSeconds);
  }

  /** The body of the service's answer, at most 64 KiB of it; of a RosteringClient alone. */
  public Optional<String> body() {
    return Optional.ofNullable(fields.body);
  }

  /** Whether there was more of it. */
  public boolean bodyTruncated() {
    return fields.bodyTruncated;
  }
}
