package example.automaticrostering;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * First steps of calls that have a token. Until a time that such a step names, the plugin would
 * begin an equal call with it again, unless anything but another beginning comes first: so that
 * call needs no plugin.
 */
final class KeptSteps {
  /** Bounds the steps of different requests. */
  private static final int MOST = 256;

  /** Of the plugin as it is: a change begins others, and what came from before is not found. */
  private volatile Map<Beginning, Step> steps = new ConcurrentHashMap<>();

  private volatile long latest;

  /** Returns the first step of a call, or null. A clock that went back ends all steps. */
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

  /** Returns the steps to {@link #keep} one in, from before the plugin is asked for it. */
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
