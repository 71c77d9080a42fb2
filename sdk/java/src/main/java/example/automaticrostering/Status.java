package example.automaticrostering;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.toMap;

import com.grack.nanojson.JsonObject;
import example.automaticrostering.RosteringException.Code;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The state of a client and all of its views, and what was counted since it opened: {@link
 * RosteringClient#status}.
 *
 * @param tokenExpiresAt when the token in use expires
 * @param renewAt when it is renewed
 * @param renewing whether a token is being looked for or requested
 * @param retryAt when the backoff after a failed token request ends
 * @param error why there is this backoff
 * @param calls of listJobs, sendRequest and getToken that began
 * @param failedCalls those that ended with a {@link RosteringException}, by its code; a canceled
 *     call counts in none
 * @param serviceRequests requests with a token to the service, including those of {@code send}
 * @param tokenRequests requests to the token endpoint
 * @param failedTokenRequests those that brought no usable token
 * @param refusedTokens tokens that the service refused with a 401
 * @param storeFailures operations of the store that failed
 */
public record Status(
    Optional<Instant> tokenExpiresAt,
    Optional<Instant> renewAt,
    boolean renewing,
    Optional<Instant> retryAt,
    Optional<Problem> error,
    long calls,
    Map<Code, Long> failedCalls,
    long serviceRequests,
    long tokenRequests,
    long failedTokenRequests,
    long refusedTokens,
    long storeFailures) {
  /**
   * An error without its details.
   *
   * @param code its code
   * @param message its message, without secrets
   */
  public record Problem(Code code, String message) {}

  static Status of(JsonObject plugin, boolean renewing, Shared shared) {
    var error = plugin.getObject("error");
    return new Status(
        time(plugin, "token_expires_at"),
        time(plugin, "renew_at"),
        renewing,
        time(plugin, "retry_at"),
        Optional.ofNullable(error)
            .map(e -> new Problem(Code.of(e.getString("code")), e.getString("message"))),
        shared.begun.sum(),
        shared.failed.entrySet().stream()
            .collect(toMap(Map.Entry::getKey, e -> e.getValue().sum())),
        shared.serviceRequests.sum(),
        plugin.getLong("token_requests"),
        plugin.getLong("failed_token_requests"),
        plugin.getLong("refused_tokens"),
        plugin.getLong("store_failures"));
  }

  private static Optional<Instant> time(JsonObject fields, String name) {
    return fields.has(name)
        ? Optional.of(Instant.ofEpochSecond(fields.getLong(name)))
        : Optional.empty();
  }

  /** {@return all that is known as JSON, with the same names in all languages} */
  public String toJson() {
    var fields = new LinkedHashMap<String, Object>();
    tokenExpiresAt.ifPresent(time -> fields.put("token_expires_at", time.getEpochSecond()));
    renewAt.ifPresent(time -> fields.put("renew_at", time.getEpochSecond()));
    fields.put("renewing", renewing);
    retryAt.ifPresent(time -> fields.put("retry_at", time.getEpochSecond()));
    error.ifPresent(
        e -> fields.put("error", Map.of("code", e.code.toString(), "message", e.message)));
    fields.put("calls", calls);
    var failed = new TreeMap<String, Long>();
    failedCalls.forEach((code, n) -> failed.put(code.toString(), n));
    fields.put("failed_calls", failed);
    fields.put("service_requests", serviceRequests);
    fields.put("token_requests", tokenRequests);
    fields.put("failed_token_requests", failedTokenRequests);
    fields.put("refused_tokens", refusedTokens);
    fields.put("store_failures", storeFailures);
    return new String(Json.write(fields), UTF_8);
  }
}
