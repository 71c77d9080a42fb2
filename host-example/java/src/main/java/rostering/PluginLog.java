package rostering;

import com.dylibso.chicory.log.Logger;

/**
 * Hands the plugin's lines to the system logger "rostering": a debug line for each request, a
 * warning for what the plugin recovered from. They hold neither secrets nor tokens.
 */
final class PluginLog implements Logger {
  private static final System.Logger LOGGER = System.getLogger("rostering");

  @Override
  public void log(Level level, String line, Throwable cause) {
    LOGGER.log(systemLevel(level), line, cause);
  }

  @Override
  public boolean isLoggable(Level level) {
    return LOGGER.isLoggable(systemLevel(level));
  }

  private static System.Logger.Level systemLevel(Level level) {
    return switch (level) {
      case ALL -> System.Logger.Level.ALL;
      case TRACE -> System.Logger.Level.TRACE;
      case DEBUG -> System.Logger.Level.DEBUG;
      case INFO -> System.Logger.Level.INFO;
      case WARNING -> System.Logger.Level.WARNING;
      case ERROR -> System.Logger.Level.ERROR;
      case OFF -> System.Logger.Level.OFF;
    };
  }
}
