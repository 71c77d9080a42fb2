package example.automaticrostering;

import static org.junit.jupiter.api.Assertions.*;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.*;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that others fill, and a disk that is full. */
class FileStoreTest {
  @TempDir Path folder;

  private List<Path> files() throws IOException {
    try (var files = Files.list(folder)) {
      return files.toList();
    }
  }

  /** The file has no blocks, but an array of its size would need more memory than there is. */
  @Test
  void hugeFileIsNotRead() throws Exception {
    var store = new FileStore(folder);
    store.set("key", "value", 60);
    try (var file = new RandomAccessFile(files().get(0).toFile(), "rw")) {
      file.setLength(1L << 40);
    }
    assertThrows(IOException.class, () -> store.get("key"));
  }

  /** As on a full disk, on which an empty file can be made. */
  @Test
  void temporaryFileGoesWhenWritingFails() throws Exception {
    var store = new FileStore(folder);
    assertThrows(IOException.class, () -> store.set("key", "\ud800", 60));
    assertEquals(List.of(), files());
    store.set("key", "value", 60);
    var file = files().get(0);
    Files.delete(file);
    Files.createDirectories(file.resolve("of another program"));
    assertThrows(IOException.class, () -> store.set("key", "value", 60));
    assertEquals(List.of(file), files());
  }
}
