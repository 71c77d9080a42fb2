package example.automaticrostering;

import static example.automaticrostering.RosteringException.Code.NETWORK_ERROR;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Callers that do not wait for the end. */
class LeavingTest extends SandboxTest {
  /** The first call has no token, the second no kept step: the third is sent by its caller. */
  @ParameterizedTest
  @ValueSource(ints = {0, 2})
  void interrupt(int before) throws Exception {
    for (var i = 0; i < before; i++) {
      client.listJobs();
    }
    sandbox.fault(HOLD_JOBS);
    var end = new CompletableFuture<Throwable>();
    var caller = new Thread(() -> end.complete(assertThrows(Throwable.class, client::listJobs)));
    caller.start();
    sandbox.await(new Sandbox.Counts(0, before + 1));
    caller.interrupt();
    assertInstanceOf(InterruptedException.class, end.get());
    sandbox.clearFaults();
    assertEquals(200, client.listJobs().status());
    assertRequests(1, before + 2);
  }

  @Test
  void interruptedCallersTokenIsForTheNext() throws Exception {
    sandbox.fault(Map.of("server", "auth", "hold", true));
    Thread.currentThread().interrupt();
    assertThrows(InterruptedException.class, client::listJobs);
    sandbox.await(new Sandbox.Counts(1, 0));
    sandbox.clearFaults();
    assertEquals(200, client.listJobs().status());
    assertRequests(1, 1);
  }

  @Test
  void cancel() throws Exception {
    sandbox.fault(HOLD_JOBS);
    var call = client.listJobsAsync();
    sandbox.await(new Sandbox.Counts(0, 1));
    assertTrue(call.cancel(true));
    assertThrows(CancellationException.class, call::join);
    client.close(); // waits for no response
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2})
  void timeoutEndsACall(int before) throws Exception {
    client.getToken();
    for (var i = 0; i < before; i++) {
      client.listJobs();
    }
    sandbox.fault(HOLD_JOBS);
    var impatient = client.withTimeout(Duration.ofMillis(200));
    var e = assertCode(NETWORK_ERROR, impatient::listJobs);
    assertTrue(e.retryable());
    assertTrue(e.getMessage().contains("timed out after 0.2 s"), e::getMessage);
    assertFalse(Thread.interrupted(), "how the library ends the request is not the caller's");
    var patient = client.withTimeout(ChronoUnit.FOREVER.getDuration()).listJobsAsync();
    var unbound = client.withNoTimeout().listJobsAsync();
    sandbox.clearFaults();
    assertEquals(200, patient.get().status());
    assertEquals(200, unbound.get().status());
  }

  @Test
  void dependentsMayCallAgain() throws Exception {
    var second = client.listJobsAsync().thenApply(response -> client.listJobsAsync().join());
    assertEquals(200, second.get().status());
  }
}
