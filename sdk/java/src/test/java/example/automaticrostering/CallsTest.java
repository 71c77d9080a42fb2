package example.automaticrostering;

import static org.junit.jupiter.api.Assertions.*;

import java.io.ByteArrayOutputStream;
import java.lang.reflect.*;
import java.time.Duration;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.logging.*;
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
    var call = threads.submit(client::listJobs);
    arrived.await();
    Thread.currentThread().interrupt();
    client.close();
    assertTrue(Thread.interrupted());
    assertInstanceOf(
        CancellationException.class, assertThrows(ExecutionException.class, call::get).getCause());
  }

  @Test
  void timeForTheLogIsNotTheCalls() {
    service = exchange -> respond(exchange, 500, "late");
    BiConsumer<System.Logger.Level, String> slow =
        (level, line) -> assertDoesNotThrow(() -> Thread.sleep(line.contains("500") ? 3000 : 0));
    try (var client = builder().timeout(Duration.ofSeconds(2)).logger(slow).open()) {
      assertCode(RosteringException.Code.SERVICE_ERROR, client::listJobs);
    }
  }

  @Test
  void openInAnInterruptedThread() {
    Thread.currentThread().interrupt();
    builder().open().close();
    assertTrue(Thread.interrupted());
  }

  /** An exception that cannot be printed. */
  private static final class Unprintable extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public String toString() {
      throw this;
    }

    @Override
    public Throwable getCause() {
      throw this;
    }
  }

  @Test
  void storeThatThrowsWhatCannotBePrinted() throws Exception {
    var throwing =
        store(
            (store, method, arguments) -> {
              throw new Unprintable();
            });
    try (var client = builder().store(throwing).open()) {
      assertEquals(200, client.listJobs().status());
    } catch (Unprintable e) {
      fail("the store's exception ends the call"); // without it, which would end JUnit
    }
  }

  private static Store store(InvocationHandler handler) {
    var types = new Class<?>[] {Store.class};
    return (Store) Proxy.newProxyInstance(Store.class.getClassLoader(), types, handler);
  }

  @Test
  void storeThatHangsIsInterrupted() throws Exception {
    var interrupted = new CountDownLatch(1);
    var hangs =
        store(
            (store, method, arguments) -> {
              try {
                Thread.sleep(Long.MAX_VALUE);
              } finally {
                interrupted.countDown();
              }
              return null;
            });
    try (var client = builder().store(hangs).open()) {
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

  /** With more of the stack each time, until it suffices. */
  private void listJobsWhereTheStackEnds(AtomicBoolean isDone) {
    try {
      listJobsWhereTheStackEnds(isDone);
      if (!isDone.get()) {
        client.listJobs();
        isDone.set(true);
      }
    } catch (StackOverflowError | RosteringException e) { // which it causes in the HTTP client
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void closeAfterTheStackOverflowed() throws Exception {
    client.listJobs();
    Runnable deep = () -> listJobsWhereTheStackEnds(new AtomicBoolean());
    var thread = new Thread(null, deep, "deep", 512 << 10);
    thread.start();
    thread.join();
    client.listJobs();
    CompletableFuture.runAsync(client::close).get(20, TimeUnit.SECONDS);
  }
}
