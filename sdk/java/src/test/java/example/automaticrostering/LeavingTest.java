package example.automaticrostering;

import static example.automaticrostering.RosteringException.Code.NETWORK_ERROR;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Callers that do not wait for the end. */
class LeavingTest extends SandboxTest {
  @Test
  void interrupt() throws Exception {
    sandbox.fault(HOLD_JOBS);
    var end = new CompletableFuture<Throwable>();
    var caller = new Thread(() -> end.complete(assertThrows(Throwable.class, client::listJobs)));
    caller.start();
    sandbox.await(new Sandbox.Counts(0, 1));
    caller.interrupt();
    assertInstanceOf(InterruptedException.class, end.get());
    sandbox.clearFaults();
    assertEquals(200, client.listJobs().status());
    assertRequests(1, 2);
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

  @Test
  void timeoutEndsACall() throws Exception {
    sandbox.fault(HOLD_JOBS);
    client.getToken();
    var impatient = client.withTimeout(Duration.ofMillis(200));
    var e = assertCode(NETWORK_ERROR, impatient::listJobs);
    assertTrue(e.retryable());
    assertTrue(e.getMessage().contains("timed out after 0.2 s"), e::getMessage);
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
