package example.automaticrostering;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A store in a directory of a local disk, for the processes of one machine: a file for each key,
 * which only its owner can read where the file system has such permissions.
 */
public final class FileStore implements Store {
  /** A file lock is the whole process's: its threads take turns here first. */
  private static final ReentrantLock ADDING = new ReentrantLock();

  private final Path directory;

  /**
   * Makes a store.
   *
   * @param directory is created if it is not there
   * @throws IOException if it cannot be created
   */
  public FileStore(Path directory) throws IOException {
    this.directory = Files.createDirectories(directory);
  }

  @Override
  public String get(String key) throws IOException {
    if (!Files.exists(file(key))) {
      return null;
    }
    var lines = Files.readString(file(key)).split("\n", 2);
    return Instant.parse(lines[0]).isAfter(Instant.now()) ? lines[1] : null;
  }

  @Override
  @SuppressWarnings("try") // the lock is held, not used
  public boolean add(String key, String value, long ttlSeconds) throws IOException {
    ADDING.lock();
    try (var channel = FileChannel.open(directory.resolve("lock"), CREATE, WRITE);
        var lock = channel.lock()) { // the system takes it from a process that dies
      var isFree = get(key) == null;
      if (isFree) {
        set(key, value, ttlSeconds);
      }
      return isFree;
    } finally {
      ADDING.unlock();
    }
  }

  @Override
  public void set(String key, String value, long ttlSeconds) throws IOException {
    var written = Files.createTempFile(directory, "new", null);
    Files.writeString(written, Instant.now().plusSeconds(ttlSeconds) + "\n" + value);
    Files.move(written, file(key), ATOMIC_MOVE);
  }

  /** A key may be longer than a file's name. */
  private Path file(String key) {
    return directory.resolve(UUID.nameUUIDFromBytes(key.getBytes(UTF_8)).toString());
  }
}
