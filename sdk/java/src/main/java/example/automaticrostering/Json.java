package example.automaticrostering;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import com.grack.nanojson.JsonParserException;
import com.grack.nanojson.JsonWriter;
import java.util.regex.Pattern;

/** The plugin's JSON. */
final class Json {
  private static final int MOST_CHARACTERS = 40_000;
  private static final Pattern LONE_SURROGATE = Pattern.compile("\\p{Cs}");

  private Json() {}

  /** Reports whether a string has no lone surrogate, which encoders replace by a question mark. */
  static boolean isUnicode(String string) {
    return UTF_8.newEncoder().canEncode(string);
  }

  /** Cuts off what is longer than any value that the plugin takes, so that it refuses it soon. */
  static String bounded(String string) {
    return string == null || string.length() < MOST_CHARACTERS
        ? string
        : string.substring(0, MOST_CHARACTERS);
  }

  /** Writes maps, lists, strings, numbers and booleans. The plugin sees a lone surrogate. */
  static byte[] write(Object value) {
    var json = JsonWriter.string(value);
    if (!isUnicode(json)) {
      json =
          LONE_SURROGATE
              .matcher(json)
              .replaceAll(c -> "\\\\u%04x".formatted((int) c.group().charAt(0)));
    }
    return json.getBytes(UTF_8);
  }

  /** Reads an object. What is thrown does not show it. */
  static JsonObject read(byte[] json) {
    try {
      return JsonParser.object().from(new String(json, UTF_8));
    } catch (JsonParserException e) {
      throw new IllegalArgumentException("not an object of JSON");
    }
  }
}
