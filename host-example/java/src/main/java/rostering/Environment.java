package rostering;

import java.util.Locale;

/** An environment of the service; it picks the scope. */
public enum Environment {
  STAGE,
  PRODUCTION;

  /**
   * Reads {@code stage} or {@code production}.
   *
   * @throws IllegalArgumentException if it is neither
   */
  public static Environment of(String name) {
    for (var environment : values()) {
      if (environment.toString().equals(name)) {
        return environment;
      }
    }
    throw new IllegalArgumentException("the environment is stage or production, not " + name);
  }

  /** The name as the config has it. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
