package example.automaticrostering;

import static example.automaticrostering.RosteringException.Code.NETWORK_ERROR;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.grack.nanojson.JsonObject;
import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Steps of a fake plugin: begin has one as its input, and each flow holds the next, or an error.
 * Each wait takes a year.
 */
class StepsTest {
  private static final String DONE = "{'step':'done','output':{}}";
  private final CompletableFuture<Boolean> holds = new CompletableFuture<>();
  private final CountDownLatch held = new CountDownLatch(1);
  private final Driver driver =
      new Driver(
          () -> this::plugin,
          RosteringClient.builder(RosteringConfig.builder().build()).store(new HangingStore()));

  private byte[] plugin(String export, byte[] input) {
    switch (export) {
      case "version":
        return "{\"contract\":2}".getBytes(UTF_8);
      case "begin":
        return Json.write(Json.read(input).get("input"));
      case "resume":
        var next = Json.read(input).get("flow");
        if (next instanceof String failure) {
          throw new IllegalStateException(failure);
        }
        if (next instanceof JsonObject step && step.has("hold")) {
          hold();
          return Json.write(step.get("hold"));
        }
        return Json.write(next);
      case "hold":
        hold();
        return input;
      default:
        return input;
    }
  }

  /** Keeps the thread until the test lets it continue. */
  private void hold() {
    holds.complete(true);
    try {
      held.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @AfterEach
  void close() {
    held.countDown();
    driver.close().join();
  }

  /** Hangs for one key, until the test lets it continue. */
  private final class HangingStore implements Store {
    @Override
    public String get(String key) {
      if (key.equals("hang")) {
        hold();
      }
      return null;
    }

    @Override
    public boolean add(String key, String value, long ttlSeconds) {
      return true;
    }

    @Override
    public void set(String key, String value, long ttlSeconds) {}
  }

  private static String waits(String purpose) {
    return "{'step':'wait','for':'%s','seconds':31536000,'flow':%s}".formatted(purpose, DONE);
  }

  private static String section(String next) {
    return "{'step':'store','timeout':31536000,'op':'get','key':'k','flow':%s}".formatted(next);
  }

  private CompletableFuture<Call.Result> start(String step) {
    return start(step, Timeout.NONE);
  }

  private CompletableFuture<Call.Result> start(String step, long timeout) {
    var json = step.replace('\'', '"').getBytes(UTF_8);
    var beginning = new Beginning("get_token", Json.read(json));
    return driver.call(beginning, timeout, BodyPublishers.noBody()).start();
  }

  private static void assertTimedOut(CompletableFuture<?> call) {
    SandboxTest.assertCode(NETWORK_ERROR, () -> Client.await(call));
  }

  @Test
  void waitEndsWithASection() throws Exception {
    var waits = start(waits("call"));
    start(section(section(DONE))).get();
    waits.get();
  }

  @Test
  void waitEndsWithASectionThatFails() throws Exception {
    var waits = start(waits("call"));
    assertThrows(Exception.class, start(section("'no token'"))::get);
    waits.get();
  }

  @Test
  void waitEndsNotWithASectionThatWaits() throws Exception {
    var waits = start(waits("call"));
    var shares = start(section(waits("store")));
    start(DONE).get();
    start(section(section(waits("store")))).cancel(true);
    driver.callExport("after what is queued", new byte[0]).get();
    assertFalse(waits.isDone());
    assertFalse(shares.isDone());
    start(section(DONE)).get();
    waits.get();
    driver.callExport("after what is queued", new byte[0]).get();
    assertFalse(shares.isDone(), "a wait for the store does not end with another call's section");
    shares.cancel(true);
  }

  @Test
  void waitEndsWithItsCaller() throws Exception {
    start(waits("call")).cancel(true);
    start(waits("store")).cancel(true);
    assertTimedOut(start(waits("call"), 1_000_000));
    driver.close().join(); // waits for none of them
  }

  @Test
  void closeGivesUpAStoreStepThatNobodyWaitsFor() throws Exception {
    var call = start(section(DONE).replace("'k'", "'hang'"));
    holds.get();
    call.cancel(true);
    driver.close().join();
  }

  @Test
  void deadlineDoesNotWaitForThePlugin() throws Exception {
    var hold = driver.callExport("hold", new byte[0]);
    assertTimedOut(start(waits("call"), 1_000_000));
    assertFalse(hold.isDone());
  }

  @Test
  void responseBeforeTheDeadlineCounts() throws Exception {
    var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(201, -1);
          exchange.close();
        });
    server.start();
    var step =
        "{'step':'request','for':'service','flow':{'hold':%s},'request':{'method':'GET','url':'%s','headers':{}}}"
            .formatted(DONE, "http://127.0.0.1:" + server.getAddress().getPort());
    var timeout = 100_000_000L;
    var call = start(step, timeout);
    while (CompletableFuture.anyOf(holds, call.handle((r, e) -> false)).get() == (Object) false) {
      timeout *= 2; // the response took longer
      call = start(step, timeout);
    }
    assertTimedOut(start(waits("call"), timeout)); // so has the call before it
    assertFalse(call.isDone());
    held.countDown();
    assertEquals(201, call.get().response().status());
    server.stop(0);
  }
}
