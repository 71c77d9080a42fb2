package example.automaticrostering;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** No time is measured: what would wait here, would wait until the test times out. */
class CloseTest extends SandboxTest {
  private static final Map<String, ?> HOLD_TOKENS = Map.of("server", "auth", "hold", true);

  @Test
  void closeWaitsForCalls() throws Exception {
    sandbox.fault(HOLD_JOBS);
    var call = client.listJobsAsync();
    sandbox.await(new Sandbox.Counts(1, 1));
    var closed = ((Client) client).driver.close();
    assertThrows(IllegalStateException.class, client::listJobs); // it has begun to close
    assertFalse(closed.isDone());
    sandbox.clearFaults();
    assertEquals(200, call.get().status());
    client.close();
  }

  @Test
  void closeCancelsCallsAtTheLimit() throws Exception {
    for (var hold : new Map<?, ?>[] {HOLD_TOKENS, HOLD_JOBS}) {
      sandbox.fault(Map.of("server", hold.get("server"), "hold", true));
      var before = sandbox.counts();
      try (var client = sandbox.client().noTimeout().open()) {
        var call = client.listJobsAsync();
        var waits = client.forUser(null).listJobsAsync();
        var jobs = hold == HOLD_JOBS ? 2 : 0;
        sandbox.await(new Sandbox.Counts(before.tokenRequests() + 1, before.jobRequests() + jobs));
        client.close(Duration.ofMillis(1));
        for (var canceled : new CompletableFuture<?>[] {call, waits}) {
          var e = assertThrows(ExecutionException.class, canceled::get);
          assertInstanceOf(CancellationException.class, e.getCause());
        }
      }
      sandbox.clearFaults();
    }
  }

  @Test
  void closeCancelsAWarmCall() throws Exception {
    client.listJobs();
    client.listJobs();
    sandbox.fault(HOLD_JOBS);
    var end = new CompletableFuture<Boolean>();
    new Thread(
            () -> {
              assertThrows(CancellationException.class, client::listJobs);
              end.complete(Thread.interrupted());
            })
        .start();
    sandbox.await(new Sandbox.Counts(1, 3));
    client.close(Duration.ZERO);
    assertFalse(end.get(), "how the library ends the request is not the caller's");
  }

  @Test
  void closeGivesUpATokenRequestThatNobodyWaitsFor() throws Exception {
    sandbox.fault(HOLD_TOKENS);
    var call = client.listJobsAsync();
    sandbox.await(new Sandbox.Counts(1, 0));
    call.cancel(true);
    client.close();
    assertRequests(1, 0);
  }

  @Test
  void closeThatIsInterruptedCancels() throws Exception {
    sandbox.fault(HOLD_JOBS);
    var call = client.listJobsAsync();
    sandbox.await(new Sandbox.Counts(1, 1));
    Thread.currentThread().interrupt();
    client.close();
    assertTrue(Thread.interrupted());
    assertThrows(ExecutionException.class, call::get);
  }

  @Test
  void closeOfAViewIsTheClients() throws Exception {
    client.forCustomer("c2").close();
    client.close();
    for (var view : new RosteringClient[] {client, client.forUser("u2")}) {
      var e = assertThrows(IllegalStateException.class, view::listJobs);
      assertEquals("the client is closed; open a new one", e.getMessage());
      assertThrows(IllegalStateException.class, view::clearToken);
      assertThrows(ExecutionException.class, view.listJobsAsync()::get);
    }
    assertRequests(0, 0);
  }
}
