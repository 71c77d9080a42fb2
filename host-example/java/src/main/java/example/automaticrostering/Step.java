package example.automaticrostering;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;

/** What the plugin wants done next: docs/contract.md, Steps. A field that it lacks is null. */
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
  /** The body is a text, or true for the caller's. */
  record Request(String method, String url, Map<String, String> headers, JsonNode body) {}

  boolean isForToken() {
    return "token".equals(purpose);
  }

  /** The others go on until one that does: docs/contract.md, What a driver does. */
  boolean endsWithCaller() {
    return "service".equals(purpose) || step.equals("wait");
  }
}
