package rostering;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A store in a directory of a local disk, for the processes of one machine: a file for each key,
 * which only its owner can read where the file system has such permissions.
 */
public final class FileStore implements Store {
  /** A file lock is the whole process's: its threads take turns here first. */
  private static final ReentrantLock ADDING = new ReentrantLock();

  private final Path directory;

  /** Creates the directory if it is not there. */
  public FileStore(Path directory) throws IOException {
    this.directory = Files.createDirectories(directory);
  }

  @Override
  public String get(String key) throws IOException {
    try {
      var lines = Files.readString(file(key)).split("\n", 2);
      var isLive = lines.length == 2 && Instant.parse(lines[0]).isAfter(Instant.now());
      return isLive ? lines[1] : null;
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  @Override
  public boolean add(String key, String value, Duration ttl)
      throws IOException, InterruptedException {
    ADDING.lockInterruptibly();
    try (var channel =
            FileChannel.open(
                directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        var lock = channel.lock()) { // the system takes it from a process that dies
      if (!lock.isValid() || get(key) != null) {
        return false;
      }
      set(key, value, ttl);
      return true;
    } finally {
      ADDING.unlock();
    }
  }

  @Override
  public void set(String key, String value, Duration ttl) throws IOException {
    var written = Files.createTempFile(directory, "new", null);
    try {
      Files.writeString(written, Instant.now().plus(ttl) + "\n" + value);
      Files.move(written, file(key), StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(written);
    }
  }

  /** A key may be longer than a file's name. */
  private Path file(String key) {
    try {
      var hash = MessageDigest.getInstance("SHA-256").digest(key.getBytes(UTF_8));
      return directory.resolve(HexFormat.of().formatHex(hash));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e); // every Java has it
    }
  }
}
