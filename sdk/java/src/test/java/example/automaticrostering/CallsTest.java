package example.automaticrostering;

import static org.junit.jupiter.api.Assertions.*;

import java.io.ByteArrayOutputStream;
import java.lang.reflect.*;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.logging.*;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

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

  /** The thread's status cannot tell one interrupt from two. */
  @Test
  void interruptOfTheCallerStays() {
    var shared = new Shared(builder());
    var caller = Thread.currentThread();
    for (var isBefore : List.of(false, true)) {
      var call = new Call(shared, Long.MAX_VALUE, false);
      Executable ended =
          () ->
              call.run(
                  c -> {
                    if (isBefore) {
                      caller.interrupt();
                    }
                    call.end(CancellationException::new);
                    var e = assertThrows(InterruptedException.class, () -> Thread.sleep(1));
                    if (!isBefore) {
                      caller.interrupt();
                    }
                    throw e;
                  });
      assertThrows(CancellationException.class, ended);
      assertTrue(Thread.interrupted(), "before: " + isBefore);
    }
    shared.close(0);
  }

  /** As where no thread can be started. */
  @Test
  void callThatCannotBeTimed() {
    var shared = new Shared(builder());
    shared.timers.shutdown();
    for (var i = 0; i < 2; i++) {
      var call = new Call(shared, 1, false);
      assertThrows(RejectedExecutionException.class, () -> call.run(c -> null));
    }
    shared.close(Long.MAX_VALUE);
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
  private void doWhereTheStackEnds(Executable task, AtomicBoolean isDone) {
    try {
      doWhereTheStackEnds(task, isDone);
      if (!isDone.get()) {
        task.execute();
        isDone.set(true);
      }
    } catch (StackOverflowError | RosteringException e) { // which it causes in the HTTP client
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  /** A close that waited for a call, or for an earlier close, would do so forever. */
  @Test
  void closeAfterTheStackOverflowed() throws Exception {
    client.listJobs();
    for (var task : List.<Executable>of(client::listJobs, client::close)) {
      Runnable deep = () -> doWhereTheStackEnds(task, new AtomicBoolean());
      var thread = new Thread(null, deep, "deep", 512 << 10);
      thread.start();
      thread.join();
    }
  }
}
