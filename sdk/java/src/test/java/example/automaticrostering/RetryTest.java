package example.automaticrostering;

import static org.junit.jupiter.api.Assertions.*;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The waits that are too long for the suite. */
class RetryTest {
  private final List<Double> sleeps = new ArrayList<>();
  private final Retry.Clock clock =
      new Retry.Clock() {
        private long nanos = Long.MAX_VALUE - 1_000_000_000; // System.nanoTime may overflow

        @Override
        public long nanoTime() {
          return nanos;
        }

        @Override
        public void sleep(long slept) {
          nanos += slept;
          sleeps.add(slept / 1e9);
        }
      };

  @Test
  void retryDoublesItsWaits() {
    var error = new RosteringException(RosteringException.Code.NETWORK_ERROR, "no", true, Map.of());
    Retry.Call<?> fails =
        () -> {
          throw error;
        };
    var deadline = Duration.ofSeconds(130);
    var thrown = assertThrows(RosteringException.class, () -> Retry.call(deadline, fails, clock));
    assertSame(error, thrown);
    var least = new double[] {1, 2, 4, 8, 16, 30, 30, 30};
    for (var i = 0; i < sleeps.size(); i++) {
      var slept = sleeps.get(i);
      assertTrue(slept >= least[i] && slept <= least[i] * 1.1, sleeps::toString);
    }
    assertEquals(7, sleeps.size());
  }
}
