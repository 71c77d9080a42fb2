package example.automaticrostering;

import java.util.HashMap;
import java.util.Map;

/**
 * First steps of calls that have a token. Until a time that such a step names, the plugin would
 * begin an equal call with it again, unless anything but another beginning comes first: so that
 * call needs no plugin.
 */
final class KeptSteps {
  /** Bounds the steps of different requests. */
  private static final int MOST = 256;

  private Map<Beginning, Step> steps = new HashMap<>();
  private long latest;

  /** Returns the first step of a call, or null. A clock that went back ends all steps. */
  synchronized Step find(Beginning beginning, long now) {
    if (now < latest) {
      drop();
    }
    latest = now;
    var step = steps.get(beginning);
    return step != null && now < step.until() ? step : null;
  }

  synchronized void drop() {
    steps = new HashMap<>();
  }

  /** Returns what {@link #keep} takes, from before the plugin was asked. */
  synchronized Object generation() {
    return steps;
  }

  /** Keeps a step, unless the steps of its generation were dropped. */
  synchronized void keep(Beginning beginning, Step step, Object generation) {
    if (step.until() == 0 || steps != generation) {
      return;
    }
    if (steps.size() == MOST) {
      steps.clear();
    }
    steps.put(beginning, step);
  }
}
