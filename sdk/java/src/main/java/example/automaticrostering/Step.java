package example.automaticrostering;

import com.grack.nanojson.JsonObject;

/**
 * What the plugin wants done next: docs/contract.md, Steps.
 *
 * @param token which calls use until the Unix time {@code until}, or null
 */
record Step(JsonObject fields, Token token, long until) {
  static Step ofJson(byte[] json) {
    var fields = Json.read(json);
    var token = fields.has("token") ? Token.of(fields.getObject("token")) : null;
    return new Step(fields, token, fields.getLong("until"));
  }

  String get(String field) {
    return fields.getString(field);
  }

  boolean isDone() {
    return get("step").equals("done");
  }
}
