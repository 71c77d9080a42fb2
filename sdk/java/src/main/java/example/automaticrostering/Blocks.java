package example.automaticrostering;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import run.endive.runtime.TrapException;

/**
 * The blocks of bytes that the plugin and its host exchange during an export. The upper half of an
 * offset is the number of a block, the lower half an index into it. Block 0 is empty, and stands
 * for no value.
 */
final class Blocks {
  private static final int MAX_BYTES = 16 << 20;
  private static final int COST = 64; // of a block, in addition to its content

  private final List<ByteBuffer> blocks = new ArrayList<>();
  private int room;

  void reset() {
    blocks.clear();
    blocks.add(buffer(new byte[0]));
    room = MAX_BYTES;
  }

  /** Returns the offset of a new block. */
  long add(long size) {
    if (size == 0) {
      return 0;
    }
    if (size < 0 || size > room - COST) {
      throw new TrapException("no room for a block of " + size + " bytes");
    }
    room -= (int) size + COST;
    blocks.add(buffer(new byte[(int) size]));
    return (blocks.size() - 1L) << 32;
  }

  /** Returns the offset of a new block with a copy of a value, or 0 if that is null. */
  long copy(byte[] value) {
    if (value == null) {
      return 0;
    }
    var offset = add(value.length);
    at(offset).put(0, value);
    return offset;
  }

  /** Returns the block of an offset; its own bounds hold for the index, {@code (int) offset}. */
  ByteBuffer at(long offset) {
    return blocks.get((int) (offset >>> 32));
  }

  /** Returns the block that begins at an offset. */
  byte[] bytes(long offset) {
    if ((int) offset != 0) {
      throw new TrapException("no block begins at " + offset);
    }
    return at(offset).array();
  }

  /** Returns a copy of the bytes at an offset, which all are in one block. */
  byte[] bytes(long offset, long length) {
    var bytes = at(offset).slice((int) offset, Math.toIntExact(length));
    var copy = new byte[bytes.capacity()];
    bytes.get(copy);
    return copy;
  }

  String text(long offset) {
    return new String(bytes(offset), UTF_8);
  }

  static ByteBuffer buffer(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
