package example.automaticrostering;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.toMap;

import com.grack.nanojson.JsonObject;
import example.automaticrostering.RosteringException.Code;
import java.time.Instant;
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
 * @param toJson all of this as JSON, with the same names in all languages
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
    long storeFailures,
    String toJson) {
  /**
   * An error without its details.
   *
   * @param code its code
   * @param message its message, without secrets
   */
  public record Problem(Code code, String message) {}

  static Status of(JsonObject plugin, boolean renewing, Shared shared) {
    var failedCalls =
        shared.failed.entrySet().stream()
            .collect(toMap(Map.Entry::getKey, e -> e.getValue().sum()));
    var all = new JsonObject(plugin);
    all.put("renewing", renewing);
    all.put("calls", shared.begun.sum());
    var failed = new TreeMap<String, Long>();
    failedCalls.forEach((code, n) -> failed.put(code.toString(), n));
    all.put("failed_calls", failed);
    all.put("service_requests", shared.serviceRequests.sum());
    return new Status(
        time(all, "token_expires_at"),
        time(all, "renew_at"),
        renewing,
        time(all, "retry_at"),
        Optional.ofNullable(all.getObject("error"))
            .map(e -> new Problem(Code.of(e.getString("code")), e.getString("message"))),
        all.getLong("calls"),
        failedCalls,
        all.getLong("service_requests"),
        all.getLong("token_requests"),
        all.getLong("failed_token_requests"),
        all.getLong("refused_tokens"),
        all.getLong("store_failures"),
        new String(Json.write(all), UTF_8));
  }

  private static Optional<Instant> time(JsonObject fields, String name) {
    return fields.has(name)
        ? Optional.of(Instant.ofEpochSecond(fields.getLong(name)))
        : Optional.empty();
  }
}
