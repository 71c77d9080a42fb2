package example.automaticrostering;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Keeps the library's lines in the JDK's own logging, which System.Logger writes to by default. */
final class Log extends Handler implements AutoCloseable {
  private static final Logger LOGGER = Logger.getLogger("example.automaticrostering");

  final List<String> lines = new CopyOnWriteArrayList<>();
  private final Level before = LOGGER.getLevel();

  Log() {
    LOGGER.addHandler(this);
    LOGGER.setLevel(Level.ALL);
  }

  @Override
  public void publish(LogRecord line) {
    lines.add(line.getLevel() + " " + line.getMessage());
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    LOGGER.setLevel(before);
    LOGGER.removeHandler(this);
  }
}
