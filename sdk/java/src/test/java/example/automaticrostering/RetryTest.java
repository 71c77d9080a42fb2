package example.automaticrostering;

import static example.automaticrostering.RosteringException.Code.NETWORK_ERROR;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

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

  private static RosteringException error(boolean retryable, Map<String, ?> details) {
    return new RosteringException(NETWORK_ERROR, "no", retryable, details);
  }

  private void assertSleeps(double... seconds) {
    assertEquals(seconds.length, sleeps.size(), sleeps::toString);
    for (var i = 0; i < seconds.length; i++) {
      var slept = sleeps.get(i);
      assertTrue(slept >= seconds[i] && slept <= seconds[i] * 1.1, sleeps::toString);
    }
  }

  private RosteringException fails(Duration deadline, RosteringException error) {
    return assertThrows(
        RosteringException.class,
        () ->
            Retry.call(
                deadline,
                () -> {
                  throw error;
                },
                clock));
  }

  @Test
  void retryDoublesItsWaits() throws Exception {
    var failures = new ArrayList<>(List.of(1, 2, 3, 4, 5, 6, 7));
    Retry.Call<String> call =
        () -> {
          if (failures.isEmpty()) {
            return "jobs";
          }
          failures.remove(0);
          throw error(true, Map.of());
        };
    assertEquals("jobs", Retry.call(Duration.ofHours(1), call, clock));
    assertSleeps(1, 2, 4, 8, 16, 30, 30);
  }

  @Test
  void retryWaitsForRetryAfter() {
    var error = error(true, Map.of("retry_after", 10));
    assertSame(error, fails(Duration.ofSeconds(25), error));
    assertSleeps(10, 10);
  }

  @Test
  void retryEndsBeforeTheDeadline() {
    var error = error(true, Map.of());
    assertSame(error, fails(Duration.ofSeconds(5), error));
    assertSleeps(1, 2);
  }

  @Test
  void retryStopsAtAFinalError() {
    var error = error(false, Map.of());
    assertSame(error, fails(Duration.ofHours(1), error));
    assertSleeps();
  }
}
