package example.automaticrostering;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Which files are refused before anything else. */
class PluginFileTest {
  private static final byte[] HEADER = {0, 'a', 's', 'm', 1, 0, 0, 0};

  /** A WebAssembly file with one custom section. Its lengths take two bytes each, as they may. */
  private static byte[] file(String name, String content) {
    var file = new ByteArrayOutputStream();
    file.writeBytes(HEADER);
    file.write(0);
    writeLength(file, 2 + name.length() + content.length());
    writeLength(file, name.length());
    file.writeBytes((name + content).getBytes(UTF_8));
    return file.toByteArray();
  }

  private static void writeLength(ByteArrayOutputStream file, int length) {
    file.write(0x80 | length & 0x7f);
    file.write(length >> 7);
  }

  private static void assertRefused(String message, byte[] wasm) {
    var options = new RosteringOptions().plugin(wasm);
    var e =
        assertThrows(
            IllegalArgumentException.class, () -> Rostering.open(new RosteringConfig(), options));
    assertEquals(message, e.getMessage());
  }

  private static void assertNoSection(byte[] wasm) {
    assertRefused("the file is not a build of the plugin: it has no section \"rostering\"", wasm);
  }

  @Test
  void builds() throws Exception {
    for (var name : new String[] {"rostering.wasm", "rostering-nowasi.wasm"}) {
      var wasm = Files.readAllBytes(Path.of("../../dist", name));
      assertEquals(wasm, PluginFile.checked(wasm));
    }
    var version = Files.readString(Path.of("../../VERSION")).strip();
    assertEquals(version, Rostering.VERSION);
    var inside = new String(PluginFile.inside(), UTF_8);
    assertEquals(
        "{\"version\":\"%s\",\"contract\":%d}".formatted(version, Rostering.CONTRACT),
        inside.substring(inside.lastIndexOf("{\"version\"")));
  }

  @Test
  void anotherContract() {
    assertRefused(
        "the plugin has contract 2, and this library needs 1: take the library of the plugin's"
            + " release",
        file("rostering", "{\"version\":\"9\",\"contract\":2}"));
  }

  @Test
  void filesWithoutTheSection() {
    assertNoSection(new byte[0]);
    assertNoSection(HEADER);
    assertNoSection(file("name", "{\"contract\":1}"));
    for (var content : new String[] {"", "{", "{}", "null", "[1]", "{\"contract\":\"1\"}"}) {
      assertNoSection(file("rostering", content));
    }
  }

  @Test
  void hostileFiles() {
    var whole = file("rostering", "{\"contract\":1}");
    for (var length = 0; length < whole.length; length++) {
      assertNoSection(Arrays.copyOf(whole, length));
    }
    // Lengths beyond the file, beyond 32 bits, and without an end.
    for (var last : new int[] {0x0f, 0x7f, 0xff}) {
      var file = new ByteArrayOutputStream();
      file.writeBytes(HEADER);
      file.writeBytes(new byte[] {0, -1, -1, -1, -1, (byte) last, 1});
      assertNoSection(file.toByteArray());
    }
  }
}
