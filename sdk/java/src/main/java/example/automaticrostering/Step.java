package example.automaticrostering;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.Map;

/**
 * What the plugin wants done next: docs/contract.md, Steps. Fields that it lacks are null or zero.
 */
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
    Token.Fields output,
    long until,
    boolean renew) {
  /** A request, complete but for the caller's body. Calls share it. */
  static final class Request {
    private final HttpRequest.Builder request;
    private final String method;
    private final JsonNode body;

    @JsonCreator
    Request(
        @JsonProperty("method") String method,
        @JsonProperty("url") URI url,
        @JsonProperty("headers") Map<String, String> headers,
        @JsonProperty("body") JsonNode body) {
      this.method = method;
      this.body = body;
      request = HttpRequest.newBuilder(url).setHeader("User-Agent", Http.USER_AGENT);
      headers.forEach(request::setHeader);
    }

    /** Returns the request with its body: a string in the step, or the caller's. */
    HttpRequest with(BodyPublisher callers) {
      var publisher =
          body == null
              ? BodyPublishers.noBody()
              : body.isTextual() ? BodyPublishers.ofString(body.textValue()) : callers;
      return request.copy().method(method, publisher).build();
    }
  }

  boolean isDone() {
    return step.equals("done");
  }

  /** Returns the output of get_token, or null for other calls. */
  Token token() {
    return output == null ? null : output.token();
  }

  boolean isForToken() {
    return "token".equals(purpose);
  }

  boolean isForCall() {
    return "call".equals(purpose);
  }

  boolean isWait() {
    return step.equals("wait");
  }

  /** Steps of a section continue without their caller: docs/contract.md, What a driver does. */
  boolean isOfSection() {
    return isForToken() || step.equals("store");
  }

  boolean endsWithCaller() {
    return "service".equals(purpose) || isWait();
  }
}
