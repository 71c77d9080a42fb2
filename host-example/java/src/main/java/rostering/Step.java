package rostering;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;

/** What the plugin wants done next: docs/contract.md, Steps. What a step does not have is null. */
record Step(
    String step,
    @JsonProperty("for") String purpose,
    JsonNode flow,
    Request request,
    boolean last,
    double seconds,
    String op,
    String key,
    String value,
    long ttl,
    JsonNode output) {

  /** A request to send. Its body is a text, or true for the body that the caller has. */
  record Request(String method, String url, Map<String, String> headers, JsonNode body) {}

  boolean isForToken() {
    return "token".equals(purpose);
  }
}
