package rostering;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.stream.Stream;

/**
 * A call that failed. Its code is for programs to act on; its message is {@code code: what to do}.
 * It holds neither secrets nor tokens.
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
    /** A code of a later plugin; the details have its name. */
    UNKNOWN
  }

  /** The error as docs/contract.md has it, Errors. A field that it lacks is null. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Details(
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

  private final Details details;

  private RosteringException(Details details) {
    super(details.code + ": " + details.message);
    this.details = details;
  }

  /** Reads the plugin's error text. */
  static RuntimeException ofPlugin(String text) {
    try {
      return new RosteringException(Json.read(text.getBytes(UTF_8), Details.class));
    } catch (UncheckedIOException e) { // not an error of the contract
      return new IllegalStateException("the plugin failed: " + text);
    }
  }

  static RosteringException timedOut(Duration timeout) {
    var message = "the call timed out after %s s".formatted(timeout.toMillis() / 1000.0);
    return new RosteringException(
        new Details("network_error", message, true, null, null, null, null, null, null, null));
  }

  public Code code() {
    var codes = Stream.of(Code.values());
    return codes
        .filter(c -> c.name().equalsIgnoreCase(details.code))
        .findAny()
        .orElse(Code.UNKNOWN);
  }

  /** Whether the same call may succeed later. */
  public boolean retryable() {
    return details.retryable;
  }

  /** Everything that is known. */
  public Details details() {
    return details;
  }

  /** The details as JSON, for logs that programs read. */
  public String toJson() {
    return new String(Json.write(details), UTF_8);
  }
}
