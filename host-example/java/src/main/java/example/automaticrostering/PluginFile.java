package example.automaticrostering;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * A build of the plugin: a WebAssembly file whose custom section "rostering" tells its contract.
 */
final class PluginFile {
  private static final int HEADER = 8;
  private static final String SECTION = "rostering";

  private PluginFile() {}

  /** The build in this library. */
  static byte[] inside() {
    try (var file = PluginFile.class.getResourceAsStream("rostering-nowasi.wasm")) {
      return file.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the file if it is a build of the plugin that this library can drive. */
  static byte[] checked(byte[] wasm) {
    var contract = contract(wasm);
    if (contract == null) {
      throw new IllegalArgumentException(
          "the file is not a build of the plugin: it has no section \"" + SECTION + "\"");
    }
    if (contract != Rostering.CONTRACT) {
      throw new IllegalArgumentException(
          "the plugin has contract %d, and this library needs %d: take the library of the plugin's release"
              .formatted(contract, Rostering.CONTRACT));
    }
    return wasm;
  }

  /** What the section says, or null. A file may hold anything: what is cut off has no section. */
  private static Integer contract(byte[] wasm) {
    try {
      for (var file = ByteBuffer.wrap(wasm).position(HEADER); file.hasRemaining(); ) {
        var id = file.get();
        var section = cut(file);
        if (id == 0 && SECTION.equals(UTF_8.decode(cut(section)).toString())) {
          var json = new byte[section.remaining()];
          section.get(json);
          var contract = Json.read(json, JsonNode.class).path("contract");
          return contract.isInt() ? contract.intValue() : null;
        }
      }
      return null;
    } catch (BufferUnderflowException | IllegalArgumentException | UncheckedIOException e) {
      return null;
    }
  }

  /** Reads a length, and as many bytes. */
  private static ByteBuffer cut(ByteBuffer from) {
    var length = 0L;
    var shift = 0;
    byte next;
    do {
      next = from.get();
      length |= (long) (next & 0x7f) << shift;
      shift += 7;
    } while (next < 0 && shift < 35); // a 32-bit number has five bytes at most
    if (length > from.remaining()) {
      throw new BufferUnderflowException();
    }
    var part = from.slice(from.position(), (int) length);
    from.position(from.position() + (int) length);
    return part;
  }
}
