package example.automaticrostering;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * Shares a token among the processes of one machine, in any of this library's languages, through a
 * folder on a local disk. Only their user can read it, if the file system has such permissions.
 *
 * <p>A value is a file KEY.N, where KEY is the hash of the key and the highest N counts: docs/
 * fleet.md. There is no lock that a process could leave behind.
 */
public final class FileStore implements Store {
  private static final int MAX_ATTEMPTS = 100;
  private static final Duration ABANDONED = Duration.ofMinutes(1);
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Path folder;

  /** The files of the folder, and the hash of one key. */
  private record Listing(String hash, List<String> names) {
    /** Returns the highest number of the key's files, or zero. */
    long highest() {
      return names.stream().mapToLong(this::number).max().orElse(0);
    }

    /** Returns the number of a file, or zero if it is not one of the key. */
    long number(String name) {
      var isOfKey =
          name.startsWith(hash) && name.substring(hash.length()).matches("\\.[1-9]\\d{0,15}");
      var number = isOfKey ? Long.parseLong(name.substring(hash.length() + 1)) : 0;
      return number < 1L << 53 ? number : 0;
    }
  }

  /**
   * Opens a store in a folder, which it creates if it is missing.
   *
   * @throws IOException if it cannot be created or written; the message names it
   */
  public FileStore(Path folder) throws IOException {
    this.folder =
        Files.isDirectory(folder) ? folder : Files.createDirectories(folder, mode("rwx------"));
    if (!Files.isWritable(folder)) {
      throw new AccessDeniedException(folder.toString());
    }
  }

  @Override
  public String get(String key) throws IOException {
    for (var attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      var files = list(key);
      try {
        return read(files, files.highest());
      } catch (NoSuchFileException e) { // replaced in the meantime
      }
    }
    throw tooManyAttempts();
  }

  @Override
  public boolean add(String key, String value, long ttlSeconds) throws IOException {
    return write(key, value, ttlSeconds, true);
  }

  @Override
  public void set(String key, String value, long ttlSeconds) throws IOException {
    write(key, value, ttlSeconds, false);
  }

  private boolean write(String key, String value, long ttlSeconds, boolean isAdd)
      throws IOException {
    var temporary = writeTemporary(key, Instant.now().plusSeconds(ttlSeconds), value);
    try {
      for (var attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        var files = list(key);
        var number = files.highest() + 1;
        try {
          if (isAdd && read(files, number - 1) != null) {
            return false;
          }
          Files.createLink(file(files.hash, number), temporary);
        } catch (NoSuchFileException | FileAlreadyExistsException e) { // another process was first
          continue;
        }
        if (isAdd && list(key).highest() > number) {
          Files.deleteIfExists(file(files.hash, number)); // it came too late to count
          continue;
        }
        removeOld(files);
        return true;
      }
      throw tooManyAttempts();
    } finally {
      Files.deleteIfExists(temporary);
    }
  }

  private Path writeTemporary(String key, Instant expiry, String value) throws IOException {
    var random = new BigInteger(128, RANDOM).toString(16);
    var path = folder.resolve(hash(key) + ".tmp." + random);
    try (var file = Files.newByteChannel(path, Set.of(CREATE_NEW, WRITE), mode("rw-------"))) {
      var content = ByteBuffer.wrap((expiry.toEpochMilli() + "\n" + value).getBytes(UTF_8));
      while (content.hasRemaining()) {
        file.write(content);
      }
    }
    return path;
  }

  /** Returns null for a value that is missing, has expired, or is not of this format. */
  private String read(Listing files, long number) throws IOException {
    if (number == 0) {
      return null;
    }
    try {
      var parts = Files.readString(file(files.hash, number)).split("\n", 2);
      var isLive = parts.length == 2 && Long.parseLong(parts[0]) > System.currentTimeMillis();
      return isLive ? parts[1] : null;
    } catch (CharacterCodingException | NumberFormatException e) {
      return null;
    }
  }

  private Listing list(String key) throws IOException {
    try (var files = Files.list(folder)) {
      return new Listing(hash(key), files.map(file -> file.getFileName().toString()).toList());
    }
  }

  /** Removes older values, and the temporary files of processes that died. */
  private void removeOld(Listing files) throws IOException {
    var oldest = Instant.now().minus(ABANDONED);
    for (var name : files.names) {
      var file = folder.resolve(name);
      try {
        if (files.number(name) > 0
            || name.matches("[0-9a-f]{64}\\.tmp\\..*")
                && Files.getLastModifiedTime(file).toInstant().isBefore(oldest)) {
          Files.deleteIfExists(file);
        }
      } catch (NoSuchFileException e) { // another process has removed it
      }
    }
  }

  private Path file(String hash, long number) {
    return folder.resolve(hash + "." + number);
  }

  private static String hash(String key) {
    try {
      var hash = MessageDigest.getInstance("SHA-256").digest(key.getBytes(UTF_8));
      return java.util.HexFormat.of().formatHex(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e); // every Java has it
    }
  }

  private static FileAttribute<?>[] mode(String permissions) {
    var isPosix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
    return isPosix
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
        }
        : new FileAttribute<?>[0];
  }

  private IOException tooManyAttempts() {
    return new IOException("too many processes write to " + folder + " at once");
  }
}
