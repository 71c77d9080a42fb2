package rostering;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static rostering.RosteringException.Code.NETWORK_ERROR;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Callers that do not wait for the end, and a client that is closed meanwhile. */
class LeavingTest extends ServiceTest {
  private final Service.Gate gate = new Service.Gate();

  @Test
  void interrupt() throws Exception {
    service.jobs = gate.before(service.jobs);
    var end = new CompletableFuture<Throwable>();
    var caller = new Thread(() -> end.complete(assertThrows(Throwable.class, client::listJobs)));
    caller.start();
    gate.awaitRequest();
    caller.interrupt();
    assertInstanceOf(InterruptedException.class, end.get(Service.PATIENCE, SECONDS));
    gate.open();
    assertEquals(Service.JOBS, client.listJobs().text());
    assertEquals(1, service.tokenRequests.size());
  }

  @Test
  void interruptedCallersTokenIsForTheNext() throws Exception {
    service.token = gate.before(service.token);
    Thread.currentThread().interrupt();
    assertThrows(InterruptedException.class, client::listJobs);
    var left = client.listJobsAsync(new CallOptions());
    gate.awaitRequest();
    left.cancel(true);
    gate.open();
    assertEquals(Service.JOBS, client.listJobs().text());
    assertEquals(1, service.tokenRequests.size());
    assertEquals(1, service.requests.size());
  }

  @Test
  void cancel() throws Exception {
    service.jobs = gate.before(service.jobs);
    var call = client.listJobsAsync(new CallOptions());
    gate.awaitRequest();
    assertTrue(call.cancel(true));
    assertThrows(CancellationException.class, call::join);
    client.close(); // waits for no answer
    gate.open();
  }

  @Test
  void timeout() throws Exception {
    service.jobs = gate.before(service.jobs);
    client.getToken();
    var input = new CallOptions().timeout(Duration.ofMillis(200));
    var e = assertCode(NETWORK_ERROR, () -> client.listJobs(input));
    assertTrue(e.retryable());
    assertTrue(e.getMessage().contains("timed out after 0.2 s"), e::getMessage);
    var patient = client.listJobsAsync(new CallOptions().timeout(Duration.ZERO));
    gate.open();
    assertEquals(Service.JOBS, patient.get().text());
  }

  @Test
  void dependentsMayCallAgain() throws Exception {
    var second =
        client
            .listJobsAsync(new CallOptions())
            .thenApply(response -> client.listJobsAsync(new CallOptions()).join());
    assertEquals(Service.JOBS, second.get(Service.PATIENCE, SECONDS).text());
  }

  @Test
  void closeWaits() throws Exception {
    service.jobs = gate.before(service.jobs);
    var call = client.listJobsAsync(new CallOptions());
    gate.awaitRequest();
    var closing = CompletableFuture.runAsync(client::close);
    assertThrows(
        IllegalStateException.class,
        () -> {
          for (; ; Thread.sleep(1)) {
            client.clearToken(); // until it is closing
          }
        });
    assertFalse(closing.isDone());
    gate.open();
    assertEquals(Service.JOBS, call.get().text());
    closing.get(Service.PATIENCE, SECONDS);
  }
}
