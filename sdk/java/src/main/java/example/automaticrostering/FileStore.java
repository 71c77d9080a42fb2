package example.automaticrostering;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.concurrent.locks.LockSupport;

/**
 * Shares a token among the processes of one machine, in any of this library's languages, through a
 * folder on a local disk. Only their user can read it, if the file system has such permissions.
 *
 * <p>docs/fleet.md describes the files.
 */
public final class FileStore implements Store {
  private static final FileAttribute<?>[] ANY_MODE = {};
  private static final long ABANDONED_MILLIS = 60_000;

  /** Bounds a file: a value of 64 KiB, and a line with the time. */
  private static final int MAX_BYTES = (64 << 10) + 32;

  private final Path folder;

  /**
   * Opens a store in a folder, which it creates if it is missing.
   *
   * @throws IOException if it cannot be created or written; the message names it
   */
  public FileStore(Path folder) throws IOException {
    this.folder = RosteringException.notNull(folder, "the folder");
    if (!Files.isDirectory(folder)) {
      var hasModes = folder.getFileSystem().supportedFileAttributeViews().contains("posix");
      var mode = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
      Files.createDirectories(folder, hasModes ? new FileAttribute<?>[] {mode} : ANY_MODE);
    }
    if (!Files.isWritable(folder)) {
      throw new AccessDeniedException(folder.toString());
    }
  }

  @Override
  public String get(String key) throws IOException {
    try {
      var parts = read(file(key)).split("\n", 2);
      var isLive =
          parts.length == 2
              && parts[0].matches("[0-9]+") // parseLong takes a sign, too
              && Long.parseLong(parts[0]) > System.currentTimeMillis();
      return isLive ? parts[1] : null;
    } catch (NoSuchFileException | CharacterCodingException | NumberFormatException e) {
      return null;
    }
  }

  /** Reads a file, which another program may have filled, up to a bound. */
  private static String read(Path file) throws IOException {
    try (var in = Files.newInputStream(file)) {
      var bytes = in.readNBytes(MAX_BYTES + 1);
      if (bytes.length > MAX_BYTES) {
        throw new IOException("the file has more than 64 KiB: " + file);
      }
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    }
  }

  @Override
  public boolean add(String key, String value, long ttlSeconds) throws IOException {
    var isThere = Files.exists(file(key)); // one that comes later is another process's
    if (get(key) != null) {
      return false;
    }
    if (isThere) {
      Files.deleteIfExists(file(key));
    }
    var temporary = writeTemporary(key, value, ttlSeconds);
    try {
      Files.createLink(file(key), temporary);
      return true;
    } catch (FileAlreadyExistsException e) { // another process was faster
      return false;
    } finally {
      Files.deleteIfExists(temporary);
    }
  }

  @Override
  public void set(String key, String value, long ttlSeconds) throws IOException {
    var temporary = writeTemporary(key, value, ttlSeconds);
    for (var tries = 20; ; tries--) { // Windows replaces no file while another process reads it
      try {
        Files.move(temporary, file(key), StandardCopyOption.ATOMIC_MOVE);
        return;
      } catch (FileSystemException e) {
        if (tries == 1) {
          Files.deleteIfExists(temporary);
          throw e;
        }
        LockSupport.parkNanos(25_000_000);
      }
    }
  }

  private Path writeTemporary(String key, String value, long ttlSeconds) throws IOException {
    removeAbandoned();
    // For its owner alone, as Java makes them.
    var file = Files.createTempFile(folder, file(key).getFileName() + ".tmp.", "");
    try {
      return Files.writeString(file, System.currentTimeMillis() + ttlSeconds * 1000 + "\n" + value);
    } catch (IOException e) { // as on a full disk
      Files.deleteIfExists(file);
      throw e;
    }
  }

  /** Removes the temporary files of processes that died. */
  private void removeAbandoned() throws IOException {
    var oldest = System.currentTimeMillis() - ABANDONED_MILLIS;
    try (var files = Files.newDirectoryStream(folder, FileStore::isTemporary)) {
      for (var file : files) {
        if (file.toFile().lastModified() < oldest) {
          Files.deleteIfExists(file);
        }
      }
    }
  }

  private static boolean isTemporary(Path file) {
    return file.getFileName().toString().matches("[0-9a-f]{64}\\.tmp\\..*");
  }

  private Path file(String key) {
    try {
      var hash = MessageDigest.getInstance("SHA-256").digest(key.getBytes(UTF_8));
      return folder.resolve(HexFormat.of().formatHex(hash));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e); // every Java has it
    }
  }
}
