package example.automaticrostering;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;

/** What the plugin wants done next: docs/contract.md, Steps. What it lacks is null, or zero. */
record Step(
    String step,
    @JsonProperty("for") String purpose,
    JsonNode flow,
    Request request,
    boolean last,
    long timeout,
    int limit,
    double seconds,
    String op,
    String key,
    String value,
    long ttl,
    JsonNode output) {
  /** The body is a text, or true for the caller's. */
  record Request(String method, String url, Map<String, String> headers, JsonNode body) {}

  boolean isForToken() {
    return "token".equals(purpose);
  }

  boolean isForCall() {
    return "call".equals(purpose);
  }

  boolean isWait() {
    return step.equals("wait");
  }

  /** Steps of a section go on without their caller: docs/contract.md, What a driver does. */
  boolean isOfSection() {
    return isForToken() || step.equals("store");
  }

  boolean endsWithCaller() {
    return "service".equals(purpose) || isWait();
  }
}
