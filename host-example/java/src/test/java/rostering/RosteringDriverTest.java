package rostering;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.extism.sdk.chicory.Plugin;
import org.extism.sdk.chicory.http.ExtismHttpException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What only the driver does. */
class RosteringDriverTest extends ServiceTest {
  private static final int CALLERS = 20;

  private final ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
  private final AtomicReference<Instant> clock = new AtomicReference<>(Instant.now());

  @AfterEach
  void stopThreads() {
    threads.shutdownNow();
  }

  private RosteringDriver open() {
    var config = service.config().build();
    return RosteringDriver.open(Service.WASM, config, JdkHttp.defaultClient(), clock::get);
  }

  /** Lists the jobs in many threads at once; the service answers none before it has all. */
  private void listTogether(RosteringDriver client) throws Exception {
    service.jobs = Service.together(CALLERS, Service.answer(200, Service.JOBS));
    listInThreads(client);
  }

  private void listInThreads(RosteringDriver client) throws Exception {
    Callable<byte[]> call = client::listJobs;
    var patience = Service.PATIENCE.toSeconds();
    var calls = Collections.nCopies(CALLERS, call);
    for (var done : threads.invokeAll(calls, patience, TimeUnit.SECONDS)) {
      assertArrayEquals(Service.JOBS.getBytes(StandardCharsets.UTF_8), done.get());
    }
  }

  @Test
  void callersShareOneTokenRequest() throws Exception {
    listTogether(open());
    assertEquals(1, service.tokenForms.size());
    assertEquals(CALLERS, service.jobHeaders.size());
  }

  @Test
  void callersShareOneRenewal() throws Exception {
    var client = open();
    listTogether(client);
    clock.updateAndGet(now -> now.plus(Duration.ofMinutes(59)));
    listTogether(client);
    assertEquals(2, service.tokenForms.size());
  }

  @Test
  void callersShareOneTokenAfterARevocation() throws Exception {
    var client = open();
    client.getToken();
    var refused = Service.together(CALLERS, Service.answer(401, ""));
    service.jobs =
        exchange -> {
          var isOld = exchange.getRequestHeaders().getFirst("Authorization").endsWith("token-1");
          (isOld ? refused : Service.answer(200, Service.JOBS)).handle(exchange);
        };
    listInThreads(client);
    assertEquals(2, service.tokenForms.size());
    assertEquals(2 * CALLERS, service.jobHeaders.size());
  }

  @Test
  void waitingForATokenEndsInTime() throws Exception {
    var arrived = new CountDownLatch(1);
    service.token = service.block(arrived);
    var http = JdkHttp.defaultClient();
    var steps = new Steps(plugin(), http, clock::get);
    Future<byte[]> first =
        threads.submit(() -> steps.call("get_token", Map.of(), Service.PATIENCE));
    assertTrue(arrived.await(Service.PATIENCE.toSeconds(), TimeUnit.SECONDS));
    assertCode("network_error", () -> steps.call("list_jobs", Map.of(), Duration.ofMillis(1)));
    first.cancel(true);
  }

  @Test
  void interruptedCallerLeavesTheTurnToOthers() throws Exception {
    var arrived = new CountDownLatch(1);
    service.token = service.block(arrived);
    var client = open();
    var caught = new AtomicReference<Throwable>();
    var thread = new Thread(() -> caught.set(assertThrows(Exception.class, client::listJobs)));
    thread.start();
    assertTrue(arrived.await(Service.PATIENCE.toSeconds(), TimeUnit.SECONDS));
    service.token = service.goodToken();
    thread.interrupt();
    thread.join(Service.PATIENCE.toMillis());
    assertInstanceOf(InterruptedException.class, caught.get());
    assertJobs(client); // at once: nobody but the caller gave up
  }

  @Test
  void retryAfterIsHeeded() {
    service.token = Service.unavailable(7);
    var e = assertCode("token_endpoint_unavailable", open()::listJobs);
    assertEquals(Optional.of(Duration.ofSeconds(7)), e.retryAfter());
  }

  @Test
  void buildWithoutClock() throws Exception {
    var wasm = Path.of("../../dist/rostering-nowasi.wasm");
    var client = RosteringDriver.open(wasm, service.config().build());
    assertTrue(client.getToken().expiresAt().isAfter(Instant.now()));
  }

  @Test
  void pluginsOwnRequestsAreRefused() {
    assertThrows(ExtismHttpException.class, () -> plugin().call("list_jobs", new byte[0]));
    assertEquals(0, service.tokenForms.size());
  }

  private Plugin plugin() {
    var config = service.config().build();
    return PluginFactory.open(Service.WASM, config, new String[0], new NoHttp());
  }
}
