package example.automaticrostering;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Caches the first steps of calls that have a token. Until the time that such a step names, the
 * plugin would begin an equal call with the same step, unless anything but another {@code begin}
 * comes in between. So such a call does not need the plugin.
 */
final class KeptSteps {
  /** Bounds the number of steps. */
  private static final int MOST = 256;

  /** Replaced whenever the plugin may have changed, so that no earlier step is found. */
  private volatile Map<Beginning, Step> steps = new ConcurrentHashMap<>();

  private volatile long latest;

  /** Returns the first step of a call, or null. A clock that went back drops all steps. */
  Step find(Beginning beginning, long now) {
    if (now < latest) {
      drop();
    }
    latest = now;
    var step = steps.get(beginning);
    return step != null && now < step.until() ? step : null;
  }

  void drop() {
    steps = new ConcurrentHashMap<>();
  }

  /** Returns the map to {@link #keep} a step in, before the plugin is asked for that step. */
  Map<Beginning, Step> current() {
    return steps;
  }

  static void keep(Map<Beginning, Step> current, Beginning beginning, Step step) {
    if (step.until() == 0) {
      return;
    }
    if (current.size() >= MOST) {
      current.clear();
    }
    current.put(beginning, step);
  }
}
