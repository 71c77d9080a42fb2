package example.automaticrostering;

import static example.automaticrostering.RosteringException.notNull;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import com.grack.nanojson.JsonParserException;
import com.grack.nanojson.JsonWriter;
import java.util.regex.Pattern;

/** The plugin's JSON. */
final class Json {
  private static final Pattern LONE_SURROGATE = Pattern.compile("\\p{Cs}");

  private Json() {}

  /** Encodes a string. A lone surrogate becomes U+FFFD, which the plugin rejects. */
  static byte[] utf8(String string) {
    return LONE_SURROGATE.matcher(string).replaceAll("\ufffd").getBytes(UTF_8);
  }

  /** Rejects a lone surrogate, which the JDK would encode as a question mark. */
  static String unicode(String string) {
    if (LONE_SURROGATE.matcher(notNull(string, "a string of the request")).find()) {
      throw new IllegalArgumentException("the string has a lone surrogate: pass valid Unicode");
    }
    return string;
  }

  /** Writes maps, lists, strings, numbers and booleans. */
  static byte[] write(Object value) {
    return utf8(JsonWriter.string(value));
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
