package rostering;

import java.net.URI;
import java.util.regex.Pattern;

/** Reads URLs that {@link URI} refuses, and HTTP clients of other languages do not. */
final class Uris {
  private static final Pattern PARTS = Pattern.compile("([^/]*//[^/?]*)([^?]*)(.*)");
  private static final Pattern REFUSED_IN_PATH = refused("\"<>\\\\^`{|}\\[\\]");
  private static final Pattern REFUSED_IN_QUERY = refused("\"<>\\\\^`{|}");

  private Uris() {}

  private static Pattern refused(String characters) {
    return Pattern.compile("[" + characters + "]|%(?!\\p{XDigit}{2})");
  }

  /**
   * Percent-encodes what {@link URI} refuses of visible ASCII in a path or a query, and nothing
   * else.
   *
   * @throws IllegalArgumentException if it refuses more than that
   */
  static URI of(String url) {
    var parts = PARTS.matcher(url);
    if (!parts.matches()) {
      return URI.create(url);
    }
    return URI.create(
        parts.group(1)
            + encode(REFUSED_IN_PATH, parts.group(2))
            + encode(REFUSED_IN_QUERY, parts.group(3)));
  }

  private static String encode(Pattern refused, String text) {
    return refused
        .matcher(text)
        .replaceAll(match -> "%%%02X".formatted((int) match.group().charAt(0)));
  }
}
