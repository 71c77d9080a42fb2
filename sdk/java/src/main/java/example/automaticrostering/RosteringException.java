package example.automaticrostering;

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
    /** A call's option is wrong; {@code key} names it. */
    INVALID_INPUT,
    /** A key of the config is not set. */
    CONFIG_MISSING,
    /** A key of the config is wrong. */
    CONFIG_INVALID,
    /** The clock is wrong by years, or was set back. */
    CLOCK_UNUSABLE,
    /** The token endpoint refused the client, in most cases for its id, secret or scope. */
    TOKEN_ENDPOINT_REJECTED,
    /** The token endpoint is down or overloaded. */
    TOKEN_ENDPOINT_UNAVAILABLE,
    /** The token endpoint answered without a usable token. */
    TOKEN_RESPONSE_INVALID,
    /** {@code setToken}: an expired token, or another client's, scope's or token URL's. */
    TOKEN_MISMATCH,
    /** The service answered 401 to a new token. */
    SERVICE_UNAUTHORIZED,
    /** The service answered another status than 2xx; {@code status} and {@code body} tell. */
    SERVICE_ERROR,
    /** A request got no answer, or the call timed out. */
    NETWORK_ERROR,
    /** A code of a later plugin; the details have its name. */
    UNKNOWN
  }

  /**
   * What is known of an error. What is not is null.
   *
   * @param code the plugin's name of the code, such as {@code network_error}
   * @param message says what to do; its wording may change
   * @param retryable whether the same call may succeed later
   * @param key the key of the config, or the option, at fault
   * @param status the HTTP status of the answer at fault
   * @param oauthError {@code error} of the token endpoint's answer
   * @param oauthErrorDescription {@code error_description} of the token endpoint's answer
   * @param retryAfter seconds to wait before the next call
   * @param body the service's answer, up to 64 KiB
   * @param bodyTruncated true if there was more of it
   * @serial exclude
   */
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

  /** What is known. */
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

  static RosteringException ofConfig(String code, String key, String message) {
    return new RosteringException(
        new Details(code, message, false, key, null, null, null, null, null, null));
  }

  static RosteringException timedOut(Duration timeout) {
    var message = "the call timed out after %s s".formatted(timeout.toMillis() / 1000.0);
    return new RosteringException(
        new Details("network_error", message, true, null, null, null, null, null, null, null));
  }

  /**
   * Returns what to act on.
   *
   * @return the code, or {@link Code#UNKNOWN}
   */
  public Code code() {
    var codes = Stream.of(Code.values());
    return codes
        .filter(c -> c.name().equalsIgnoreCase(details.code))
        .findAny()
        .orElse(Code.UNKNOWN);
  }

  /**
   * Tells whether the same call may succeed later.
   *
   * @return whether to call again, after {@code retryAfter} seconds if the details have it
   */
  public boolean retryable() {
    return details.retryable;
  }

  /**
   * Returns everything that is known.
   *
   * @return the details
   */
  public Details details() {
    return details;
  }

  /**
   * Returns the details as JSON, for logs that programs read.
   *
   * @return an object with the plugin's names, such as {@code retry_after}
   */
  public String toJson() {
    return new String(Json.write(details), UTF_8);
  }
}
