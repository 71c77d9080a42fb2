package example.automaticrostering;

/**
 * What the plugin wants done next: docs/contract.md, Steps. Fields that it lacks are null or zero.
 *
 * @param token which calls use until the Unix time {@code until}
 */
record Step(
    String step,
    Object flow,
    Token token,
    long until,
    Request request,
    long timeout,
    int limit,
    double seconds,
    String op,
    String key,
    String value,
    long ttl) {

  static Step ofJson(byte[] json) {
    var step = Json.read(json);
    return new Step(
        step.getString("step"),
        step.get("flow"),
        step.has("token") ? Token.of(step.getObject("token")) : null,
        step.getLong("until"),
        step.has("request") ? Request.of(step.getObject("request")) : null,
        step.getLong("timeout"),
        step.getInt("limit"),
        step.getDouble("seconds"),
        step.getString("op"),
        step.getString("key"),
        step.getString("value"),
        step.getLong("ttl"));
  }

  boolean isDone() {
    return step.equals("done");
  }
}
