package example.automaticrostering;

import com.dylibso.chicory.log.Logger;

/** Passes the plugin's lines to the library's logger. They hold no secrets. */
final class PluginLog implements Logger {
  static final System.Logger LOGGER = System.getLogger("example.automaticrostering");

  @Override
  public void log(Level level, String line, Throwable cause) {
    LOGGER.log(System.Logger.Level.valueOf(level.name()), line, cause);
  }

  @Override
  public boolean isLoggable(Level level) {
    return LOGGER.isLoggable(System.Logger.Level.valueOf(level.name()));
  }

  /** Drops the SDK's own lines about linking the plugin. */
  @Override
  public void debug(String line) {}
}
