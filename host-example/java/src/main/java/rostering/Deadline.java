package rostering;

import java.time.Duration;

/** When a call must have ended. */
record Deadline(long nanoTime) {
  static Deadline in(Duration time) {
    return new Deadline(System.nanoTime() + time.toNanos());
  }

  /** Zero or less once it is over. */
  long nanosLeft() {
    return nanoTime - System.nanoTime();
  }
}
