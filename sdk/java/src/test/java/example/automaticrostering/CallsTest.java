package example.automaticrostering;

import static org.junit.jupiter.api.Assertions.*;

import java.io.ByteArrayOutputStream;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.*;
import java.util.logging.*;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Threads and futures. What would wait here, would wait until the test times out. */
class CallsTest extends ServersTest {
  /** The library sends a warm call in the caller's thread; how it ends that is not the caller's. */
  @Test
  void endOfAWarmCallDoesNotInterruptItsThread() throws Exception {
    client.listJobs();
    client.listJobs();
    hold();
    var impatient = client.withTimeout(Duration.ofMillis(200));
    assertThrows(RosteringException.class, impatient::listJobs);
    assertFalse(Thread.interrupted());
    var arrived = hold();
    var closes =
        CompletableFuture.runAsync(
            () -> {
              assertDoesNotThrow(() -> arrived.await());
              client.close(Duration.ZERO);
            });
    assertThrows(CancellationException.class, client::listJobs);
    closes.get();
    assertFalse(Thread.interrupted());
  }

  @Test
  void closeThatIsInterruptedCancels() throws Exception {
    var arrived = hold();
    var call = client.listJobsAsync();
    arrived.await();
    Thread.currentThread().interrupt();
    client.close();
    assertTrue(Thread.interrupted());
    var e = assertThrows(ExecutionException.class, call::get);
    assertInstanceOf(CancellationException.class, e.getCause());
  }

  @Test
  void closeOfAViewIsTheClients() throws Exception {
    client.forCustomer("c2").close();
    client.close();
    for (var view : new RosteringClient[] {client, client.forUser("u2")}) {
      assertThrows(IllegalStateException.class, view::listJobs);
      assertThrows(IllegalStateException.class, view::clearToken);
      assertThrows(ExecutionException.class, view.listJobsAsync()::get);
    }
  }

  @Test
  void openInAnInterruptedThread() {
    Thread.currentThread().interrupt();
    builder().open().close();
    assertTrue(Thread.interrupted());
  }

  @Test
  void dependentsMayCallAgain() throws Exception {
    var forever = client.withTimeout(ChronoUnit.FOREVER.getDuration());
    var second = forever.listJobsAsync().thenApply(response -> client.listJobsAsync().join());
    assertEquals(200, second.get().status());
  }

  @Test
  void errorHasTheCallersStack() throws Exception {
    service = exchange -> respond(exchange, 503, "busy");
    var e = assertCode(RosteringException.Code.SERVICE_ERROR, client::listJobs);
    var frames = Stream.of(e.getStackTrace()).map(StackTraceElement::getClassName);
    assertTrue(frames.anyMatch(getClass().getName()::equals));
  }

  @Test
  void storeThatHangsIsInterrupted() throws Exception {
    var interrupted = new CountDownLatch(1);
    InvocationHandler hangs =
        (store, method, arguments) -> {
          try {
            Thread.sleep(Long.MAX_VALUE);
          } finally {
            interrupted.countDown();
          }
          return null;
        };
    var types = new Class<?>[] {Store.class};
    var store = (Store) Proxy.newProxyInstance(getClass().getClassLoader(), types, hangs);
    try (var client = builder().store(store).open()) {
      assertEquals(200, client.listJobs().status());
    }
    interrupted.await();
  }

  @Test
  void defaultLogIsTheSystems() throws Exception {
    var lines = new ByteArrayOutputStream();
    var handler = new StreamHandler(lines, new SimpleFormatter());
    var logger = Logger.getLogger("example.automaticrostering");
    logger.addHandler(handler);
    refused("no");
    client.listJobs();
    logger.removeHandler(handler);
    handler.flush();
    assertTrue(lines.toString().contains("the service refused the token"), lines::toString);
  }
}
