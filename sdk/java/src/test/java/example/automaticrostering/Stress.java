package example.automaticrostering;

import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.regex.Pattern;

/**
 * Many threads make random calls on several clients, which they close and open anew, while the
 * servers and the store fail; tasks.sh stress runs it. After each phase the failures end, and each
 * client must succeed. It ends at the first violation.
 */
public final class Stress {
  private static final int THREADS = 12;
  private static final int CLIENTS = 4;
  private static final long PHASE_SECONDS = 5;
  private static final long MAX_WAIT_SECONDS = 120; // no call takes nearly as long: a deadlock
  private static final long MAX_GROWTH = 24 << 20;
  private static final Pattern JWT = Pattern.compile("eyJ[\\w-]{16}");

  private static final List<Map<String, ?>> AUTH_FAULTS =
      List.of(
          Map.of("server", "auth", "status", 503, "requests", 3),
          Map.of("server", "auth", "status", 401, "requests", 1),
          Map.of("server", "auth", "status", 200, "body", "{}", "requests", 1),
          Map.of("server", "auth", "delay_ms", 50),
          Map.of("server", "auth", "hold", true, "requests", 1),
          Map.of("server", "auth", "cut_off", true, "requests", 2));
  private static final List<Map<String, ?>> JOBS_FAULTS =
      List.of(
          Map.of("server", "jobs", "status", 503, "requests", 10),
          Map.of("server", "jobs", "status", 401, "requests", 2),
          Map.of("server", "jobs", "delay_ms", 20),
          Map.of("server", "jobs", "hold", true, "requests", 3),
          Map.of("server", "jobs", "cut_off", true, "requests", 5));

  /** A client, and whether closing it has begun. */
  private static final class Opened {
    final RosteringClient client;
    volatile boolean isClosing;

    Opened(RosteringClient client) {
      this.client = client;
    }
  }

  private enum StoreMode {
    WORKS,
    SLOW,
    FAILS,
    HANGS
  }

  private final SplittableRandom seeds;
  private final Sandbox sandbox = new Sandbox();
  private final String secret = sandbox.env().get("ROSTERING_CLIENT_SECRET");
  private final MemoryStore memory = new MemoryStore();
  private final HttpClient http = HttpClient.newHttpClient();
  private final AtomicReferenceArray<Opened> clients = new AtomicReferenceArray<>(CLIENTS);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final AtomicInteger calls = new AtomicInteger();
  private final AtomicInteger succeeded = new AtomicInteger();
  private final AtomicInteger cancels = new AtomicInteger();
  private final AtomicInteger faults = new AtomicInteger();
  private final AtomicInteger openings = new AtomicInteger();
  private volatile StoreMode storeMode = StoreMode.WORKS;
  private volatile Token lastToken;
  private volatile boolean isPhaseOver;

  private Stress(long seed) throws IOException {
    seeds = new SplittableRandom(seed);
  }

  public static void main(String[] args) throws Exception {
    var variables = System.getenv();
    var seconds = Long.parseLong(variables.getOrDefault("STRESS_SECONDS", "60"));
    var seed = Long.parseLong(variables.getOrDefault("STRESS_SEED", "" + System.nanoTime()));
    System.out.println("STRESS_SEED=" + seed);
    new Stress(seed).run(seconds);
    System.exit(0);
  }

  private void run(long seconds) throws Exception {
    var logger = Logger.getLogger("example.automaticrostering");
    logger.setUseParentHandlers(false);
    logger.setLevel(Level.ALL);
    logger.addHandler(new LogCheck());
    for (var i = 0; i < CLIENTS; i++) {
      clients.set(i, open(i, seeds));
    }
    var end = System.nanoTime() + SECONDS.toNanos(seconds);
    phase(PHASE_SECONDS);
    var heap = heap();
    while (System.nanoTime() < end) {
      phase(Math.min(PHASE_SECONDS, NANOSECONDS.toSeconds(end - System.nanoTime()) + 1));
    }
    if (heap() > heap + MAX_GROWTH) {
      violation("the heap grew from " + heap + " to " + heap() + " bytes", null);
    }
    for (var i = 0; i < CLIENTS; i++) {
      await(threads.submit((Runnable) clients.get(i).client::close));
    }
    awaitNoThreads();
    sandbox.close();
    System.out.printf(
        "%d calls, of which %d succeeded; %d cancels; %d faults; %d clients%n",
        calls.get(), succeeded.get(), cancels.get(), faults.get(), openings.get());
  }

  private void phase(long seconds) throws Exception {
    isPhaseOver = false;
    var workers = new ArrayList<Future<?>>();
    for (var i = 0; i < THREADS; i++) {
      var random = seeds.split();
      workers.add(threads.submit(() -> loop(() -> call(random))));
    }
    var random = seeds.split();
    workers.add(threads.submit(() -> loop(() -> fail(random))));
    SECONDS.sleep(seconds);
    isPhaseOver = true;
    // Calls end although the failures last: each has a timeout.
    for (var worker : workers) {
      await(worker);
    }
    sandbox.clearFaults();
    sandbox.lifetime(3600);
    storeMode = StoreMode.WORKS;
    for (var i = 0; i < CLIENTS; i++) {
      var client = clients.get(i).client.withTimeout(Duration.ofSeconds(30));
      await(threads.submit(() -> Retry.call(Duration.ofSeconds(90), client::listJobs)));
    }
  }

  private interface Action {
    void run() throws Exception;
  }

  private void loop(Action action) {
    while (!isPhaseOver) {
      try {
        action.run();
      } catch (Throwable e) {
        violation("an error that no call may have", e);
      }
    }
  }

  /** Waits for what must end. */
  private static <T> T await(Future<T> work) throws Exception {
    try {
      return work.get(MAX_WAIT_SECONDS, SECONDS);
    } catch (TimeoutException e) {
      Thread.getAllStackTraces()
          .forEach((thread, stack) -> System.err.println(thread + " " + List.of(stack)));
      violation("a call or a close hangs", e);
      throw e;
    }
  }

  private static void violation(String what, Throwable e) {
    System.err.println("violation: " + what);
    if (e != null) {
      e.printStackTrace();
    }
    Runtime.getRuntime().halt(1);
  }

  /** Has a server or the store fail, or work again. */
  private void fail(SplittableRandom random) throws Exception {
    faults.incrementAndGet();
    switch (random.nextInt(7)) {
      case 0 -> sandbox.fault(AUTH_FAULTS.get(random.nextInt(AUTH_FAULTS.size())));
      case 1 -> sandbox.fault(JOBS_FAULTS.get(random.nextInt(JOBS_FAULTS.size())));
      case 2 -> sandbox.revoke();
      case 3 -> sandbox.lifetime(random.nextInt(1, 5));
      case 4 -> storeMode = StoreMode.values()[random.nextInt(4)];
      default -> sandbox.clearFaults();
    }
    Thread.sleep(random.nextInt(100));
  }

  private Opened open(int index, SplittableRandom random) {
    openings.incrementAndGet();
    var builder = RosteringClient.builder(sandbox.config()).timeout(Duration.ofSeconds(3));
    if (index > 0) { // the first has no store
      builder.store(new FlakyStore());
    }
    return new Opened(builder.open());
  }

  private void call(SplittableRandom random) throws Exception {
    var index = random.nextInt(CLIENTS);
    var opened = clients.get(index);
    calls.incrementAndGet();
    try {
      if (random.nextInt(30) == 0) {
        reopen(index, opened, random);
      } else {
        call(opened.client, random);
      }
      succeeded.incrementAndGet();
    } catch (RosteringException e) {
      check(e);
    } catch (IllegalStateException e) { // a CancellationException is one, too
      if (!opened.isClosing || !e.getMessage().startsWith("the client ")) {
        throw e;
      }
    }
  }

  private void reopen(int index, Opened old, SplittableRandom random) {
    if (clients.compareAndSet(index, old, open(index, random))) {
      old.isClosing = true;
      if (random.nextBoolean()) {
        old.client.close();
      } else {
        old.client.close(Duration.ofMillis(random.nextInt(300)));
      }
    }
  }

  private void call(RosteringClient client, SplittableRandom random) throws Exception {
    var customer = "customer-" + random.nextInt(400); // more than the kept steps
    var view = client.forCustomer(customer);
    if (random.nextBoolean()) {
      view = view.withTimeout(Duration.ofMillis(random.nextInt(1, 300)));
    }
    var token = lastToken;
    switch (random.nextInt(13)) {
      case 0 -> cancel(view, random);
      case 1 -> interrupt(view, random);
      case 2 -> post(view, random);
      case 3 -> lastToken = view.getToken();
      case 4 -> lastToken = view.getToken(TokenOptions.force());
      case 5 -> view.getToken(TokenOptions.refused(token == null ? "none" : token.accessToken()));
      case 6 -> client.setToken(token == null ? client.getToken() : token);
      case 7 -> client.clearToken();
      case 8 -> authorize(client);
      default -> checkJobs(view.listJobs(), customer);
    }
  }

  private static void checkJobs(Response jobs, String customer) {
    if (!jobs.text().contains("\"customer_id\":\"" + customer + "\"")) {
      violation("another call's jobs: " + jobs.text(), null);
    }
  }

  private void cancel(RosteringClient client, SplittableRandom random) throws Exception {
    var call = client.listJobsAsync();
    Thread.sleep(random.nextInt(20));
    if (call.cancel(true)) {
      cancels.incrementAndGet();
      return;
    }
    get(call);
  }

  private void interrupt(RosteringClient client, SplittableRandom random) throws Exception {
    var call = new FutureTask<>((Callable<Response>) client::listJobs);
    var thread = new Thread(call);
    thread.start();
    Thread.sleep(random.nextInt(20));
    thread.interrupt();
    try {
      get(call);
    } catch (InterruptedException e) {
      cancels.incrementAndGet();
    }
  }

  private static <T> T get(Future<T> call) throws Exception {
    try {
      return await(call);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  private static void post(RosteringClient client, SplittableRandom random) throws Exception {
    var text = BodyPublishers.ofString("x".repeat(random.nextInt(100_000)));
    var body = random.nextBoolean() ? text : BodyPublishers.fromPublisher(text);
    client.sendRequest(ServiceRequest.builder("/jobs").method("POST").body(body).build());
  }

  private void authorize(RosteringClient client) throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create(sandbox.env().get("ROSTERING_BASE_URL") + "/jobs"))
            .headers("CUSTOMER_ID", "c", "USER_ID", "u")
            .timeout(Duration.ofSeconds(2))
            .build();
    try {
      client.authorize(http).send(request, BodyHandlers.ofString());
    } catch (IOException e) { // the other client's own: the server cut it off, or it timed out
      checkText(e.toString());
    }
  }

  private void check(RosteringException e) {
    if (e.code() == RosteringException.Code.UNKNOWN) {
      violation("no code of the contract", e);
    }
    checkText(e.toJson());
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      checkText(cause.toString());
    }
  }

  private void checkText(String text) {
    if (text.contains(secret) || JWT.matcher(text).find()) {
      violation("a secret or a token in: " + text, null);
    }
  }

  private static long heap() throws InterruptedException {
    for (var i = 0; i < 3; i++) {
      System.gc();
      Thread.sleep(100);
    }
    var runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  /** The threads of closed clients end when they have been idle for ten seconds. */
  private static void awaitNoThreads() throws InterruptedException {
    var end = System.nanoTime() + SECONDS.toNanos(MAX_WAIT_SECONDS);
    while (Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().startsWith("rostering-"))) {
      if (System.nanoTime() > end) {
        violation("threads are left: " + Thread.getAllStackTraces().keySet(), null);
      }
      Thread.sleep(100);
    }
  }

  private final class LogCheck extends Handler {
    @Override
    public void publish(LogRecord line) {
      checkText(line.getMessage());
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  /** One memory for all clients, which fails as the mode says. */
  private final class FlakyStore implements Store {
    @Override
    public String get(String key) throws Exception {
      use("");
      return memory.get(key);
    }

    @Override
    public boolean add(String key, String value, long ttlSeconds) throws Exception {
      use(value);
      return memory.add(key, value, ttlSeconds);
    }

    @Override
    public void set(String key, String value, long ttlSeconds) throws Exception {
      use(value);
      memory.set(key, value, ttlSeconds);
    }

    private void use(String value) throws Exception {
      switch (storeMode) {
        case SLOW -> Thread.sleep(50);
        case FAILS -> throw new IOException("cannot use " + value);
        case HANGS -> Thread.sleep(5000);
        default -> {}
      }
    }
  }
}
