package example.automaticrostering;

import com.grack.nanojson.JsonObject;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;

/**
 * What the plugin wants done next: docs/contract.md, Steps. Fields that it lacks are null or zero.
 */
record Step(
    String step,
    String purpose,
    Object flow,
    Request request,
    boolean last,
    long timeout,
    int limit,
    double seconds,
    String op,
    String key,
    String value,
    long ttl,
    Token token,
    long until,
    boolean renew) {

  static Step ofJson(byte[] json) {
    var step = Json.read(json);
    return new Step(
        step.getString("step"),
        step.getString("for"),
        step.get("flow"),
        step.has("request") ? new Request(step.getObject("request")) : null,
        step.getBoolean("last"),
        step.getLong("timeout"),
        step.getInt("limit"),
        step.getDouble("seconds"),
        step.getString("op"),
        step.getString("key"),
        step.getString("value"),
        step.getLong("ttl"),
        step.has("output") ? Token.of(step.getObject("output")) : null,
        step.getLong("until"),
        step.getBoolean("renew"));
  }

  /** A request, complete but for the caller's body. Calls share it. */
  static final class Request {
    private final HttpRequest.Builder request;
    private final String method;
    private final Object body;

    private Request(JsonObject fields) {
      method = fields.getString("method");
      body = fields.get("body");
      request =
          HttpRequest.newBuilder(URI.create(fields.getString("url")))
              .setHeader("User-Agent", Http.USER_AGENT);
      fields.getObject("headers").forEach((name, value) -> request.setHeader(name, (String) value));
    }

    /** Returns the request with its body: a string in the step, or the caller's. */
    HttpRequest with(BodyPublisher callers) {
      var publisher =
          body == null
              ? BodyPublishers.noBody()
              : body instanceof String text ? BodyPublishers.ofString(text) : callers;
      return request.copy().method(method, publisher).build();
    }
  }

  boolean isDone() {
    return step.equals("done");
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
