package example.automaticrostering;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.*;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The format that all languages share: docs/fleet.md. */
class FileStoreTest {
  /** SHA-256 of "key". */
  private static final String HASH =
      "2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683";

  @TempDir Path parent;
  private Path folder;
  private Path file;
  private FileStore store;

  @BeforeEach
  void open() throws IOException {
    folder = parent.resolve("a/b");
    file = folder.resolve(HASH);
    store = new FileStore(folder);
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  void valueIsAFileOfItsUser() throws Exception {
    store.set("key", "two\nü", 60);
    assertEquals("rwx------ rw-------", mode(folder) + " " + mode(file));
    var content = Files.readString(file).split("\n", 2);
    assertEquals("two\nü", content[1]);
    assertTrue(Long.parseLong(content[0]) > System.currentTimeMillis());
  }

  @Test
  void anotherFormatOrAnExpiredValueIsMissing() throws Exception {
    var future = 32_503_680_000_000L; // the year 3000
    for (var content : List.of("", future + "", "x\nvalue", future + "\n\u00ff", "1000\nexpired")) {
      Files.writeString(file, content, ISO_8859_1);
      assertNull(store.get("key"), content);
      assertTrue(store.add("key", "new", 60), content);
      assertEquals("new", store.get("key"));
    }
  }

  @Test
  void processesThatDiedLeaveNothing() throws Exception {
    var old = Files.createFile(folder.resolve(HASH + ".tmp.0a"));
    Files.setLastModifiedTime(old, FileTime.from(Instant.now().minusSeconds(61)));
    var another = Files.createFile(folder.resolve(HASH + ".tmp.0b"));
    assertTrue(store.add("other", "x", 60));
    assertFalse(Files.exists(old));
    assertTrue(Files.exists(another));
  }

  @Test
  void folderThatCannotBeMade() throws Exception {
    var file = Files.createFile(parent.resolve("file"));
    for (var path : List.of(file, file.resolve("below"))) {
      var e = assertThrows(IOException.class, () -> new FileStore(path));
      assertTrue(e.getMessage().contains(file.toString()), e::getMessage);
    }
  }
}
