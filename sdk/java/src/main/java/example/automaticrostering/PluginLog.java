package example.automaticrostering;

import com.dylibso.chicory.log.Logger;

/**
 * Hands the plugin's lines to the system logger "example.automaticrostering". They hold no secrets.
 */
final class PluginLog implements Logger {
  private static final System.Logger LOGGER = System.getLogger("example.automaticrostering");

  @Override
  public void log(Level level, String line, Throwable cause) {
    LOGGER.log(System.Logger.Level.valueOf(level.name()), line, cause);
  }

  @Override
  public boolean isLoggable(Level level) {
    return LOGGER.isLoggable(System.Logger.Level.valueOf(level.name()));
  }
}
