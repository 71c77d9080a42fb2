package example.automaticrostering;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A call and its input, without the time: equal beginnings have the same first step. */
record Beginning(String call, Map<String, ?> input) {
  static final Beginning GET_TOKEN = new Beginning("get_token", Map.of());

  /** Returns the input of the plugin's {@code begin}. */
  byte[] json(List<String> accepts, long now) {
    var timed = new HashMap<String, Object>(input);
    timed.put("now", now);
    return Json.write(Map.of("call", call, "accepts", accepts, "input", timed));
  }

  boolean isRefusal() {
    return input.containsKey("refused");
  }
}
