package example.automaticrostering;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The format that all languages share: docs/fleet.md. */
class FileStoreTest {
  /** SHA-256 of "key". */
  private static final String HASH =
      "2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683";

  private static final long FUTURE = 32_503_680_000_000L; // the year 3000

  @TempDir Path parent;
  private Path folder;
  private FileStore store;

  @BeforeEach
  void open() throws IOException {
    folder = parent.resolve("a/b");
    store = new FileStore(folder);
  }

  private Path write(String name, String content) throws IOException {
    return Files.writeString(folder.resolve(name), content, ISO_8859_1);
  }

  private Set<String> names() throws IOException {
    try (var files = Files.list(folder)) {
      return files.map(f -> f.getFileName().toString()).collect(Collectors.toSet());
    }
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  void valueIsAFile() throws Exception {
    assertEquals("rwx------", mode(folder));
    assertNull(store.get("key"));
    store.set("key", "one", 60);
    assertFalse(store.add("key", "another", 60));
    var before = Instant.now();
    store.set("key", "two\nü", 60);
    assertEquals("two\nü", store.get("key"));
    assertEquals(Set.of(HASH), names());
    var file = folder.resolve(HASH);
    assertEquals("rw-------", mode(file));
    var content = Files.readString(file).split("\n", 2);
    assertEquals("two\nü", content[1]);
    var expiry = Instant.ofEpochMilli(Long.parseLong(content[0]));
    assertFalse(expiry.isBefore(before.plusSeconds(59)) || expiry.isAfter(before.plusSeconds(119)));
  }

  @Test
  void anotherFormatOrAnExpiredValueIsMissing() throws Exception {
    for (var content :
        List.of("", "1", FUTURE + "", "x\nvalue", FUTURE + "\n\u00ff", "1000\nexpired")) {
      write(HASH, content);
      assertNull(store.get("key"), content);
      assertTrue(store.add("key", "new", 60), content);
      assertEquals("new", store.get("key"));
    }
    assertEquals(Set.of(HASH), names());
  }

  @Test
  void processesThatDiedLeaveNothing() throws Exception {
    var old = write(HASH + ".tmp.0a", "1");
    Files.setLastModifiedTime(old, FileTime.from(Instant.now().minusSeconds(61)));
    write(HASH + ".tmp.0b", "1");
    assertTrue(store.add("other", "x", 60));
    assertFalse(Files.exists(old));
    assertTrue(names().contains(HASH + ".tmp.0b"));
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
