package rostering;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.URI;
import java.net.URISyntaxException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UrisTest {
  /** What java.net.URI takes stays as it is, and what it refuses is percent-encoded. */
  @ParameterizedTest
  @ValueSource(strings = {"http://[::1]:80/a", "http://h/a?"})
  void eachVisibleCharacter(String start) {
    for (var c = '!'; c <= '~'; c++) {
      if (c != '#' && c != '?') {
        assertEquals(start + (refused(start + c) ? "%%%02X".formatted((int) c) : c), of(start + c));
      }
    }
  }

  private static boolean refused(String url) {
    try {
      return new URI(url) == null;
    } catch (URISyntaxException e) {
      return true;
    }
  }

  private static String of(String url) {
    return Uris.of(url).toString();
  }

  @Test
  void escapesAreKept() {
    assertEquals("https://h/%2f%25%25z?%7B&%254&?/", of("https://h/%2f%25%z?%7B&%4&?/"));
    assertEquals("https://h?%7C", of("https://h?|"));
  }

  @Test
  void noURL() {
    assertThrows(IllegalArgumentException.class, () -> Uris.of("no URL"));
    assertThrows(IllegalArgumentException.class, () -> Uris.of("https://a|b/"));
  }
}
