package example.automaticrostering;

import java.lang.System.Logger.Level;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiConsumer;

/** Keeps lines until the end of a call or flow: what gets them may call the client, or throw. */
final class Log {
  private record Line(Level level, String text) {}

  private final BiConsumer<Level, String> handler;
  private final Queue<Line> lines = new ConcurrentLinkedQueue<>();

  Log(BiConsumer<Level, String> handler) {
    this.handler = handler;
  }

  /** The platform's logging takes a while to start: not before a line. */
  private static System.Logger system() {
    return System.getLogger("example.automaticrostering");
  }

  static void system(Level level, String text) {
    system().log(level, text);
  }

  void add(Level level, String text) {
    lines.add(new Line(level, text));
  }

  void flush() {
    for (Line line; (line = lines.poll()) != null; ) {
      try {
        handler.accept(line.level, line.text);
      } catch (Throwable e) {
        reportFailure(e);
      }
    }
  }

  private static void reportFailure(Throwable e) {
    try {
      system().log(Level.WARNING, "the logger threw", e);
    } catch (Throwable again) { // nobody is left to tell
    }
  }
}
