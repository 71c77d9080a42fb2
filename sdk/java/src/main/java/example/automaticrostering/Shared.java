package example.automaticrostering;

import example.automaticrostering.RosteringException.Code;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/** What a client and its views share. */
final class Shared {
  /** Bounds the requests that are kept. */
  private static final int MOST_REQUESTS = 256;

  /** The first other token may come from a store, and have been revoked, too. */
  static final int MOST_SENDS = 3;

  /** Bounds how long a timer stays that no call needs. */
  private static final long MOST_NANOS = TimeUnit.MINUTES.toNanos(1);

  private static final long ORIGIN = System.nanoTime();

  final ScheduledExecutorService timers = Threads.timer();

  final Plugin plugin;
  final Http http;
  final StoreSteps store;
  final Log log;
  final Holder holder = new Holder(this);

  /** What the status counts. */
  final LongAdder begun = new LongAdder();

  final LongAdder serviceRequests = new LongAdder();
  final ConcurrentMap<Code, LongAdder> failed = new ConcurrentHashMap<>();
  private final Set<Call> calls = ConcurrentHashMap.newKeySet();

  /** Completes when the client is closing and no call is left. */
  private final CompletableFuture<Void> ended = new CompletableFuture<>();

  private volatile boolean isClosing;
  private final AtomicBoolean isFreed = new AtomicBoolean();

  /** The time at which the timer goes off, guarded by this object's lock. */
  private long timer = Long.MAX_VALUE;

  private final InstantSource clock;
  private final Map<String, String> config;

  /** The plugin builds the same request for the same input. */
  private final Map<Map<String, ?>, Request> requests = new ConcurrentHashMap<>();

  Shared(RosteringClientBuilder options) {
    config = options.config;
    clock = options.clock;
    log = new Log(options.logger);
    store = options.store == null ? null : new StoreSteps(options.store);
    var opening =
        CompletableFuture.supplyAsync(
            () -> open(options), task -> Threads.daemon("rostering-open", task).start());
    http = new Http(options); // meanwhile, as both take a while
    try {
      plugin = opening.join();
    } catch (CompletionException e) {
      free();
      throw RosteringException.thrown(e);
    }
  }

  /** Opens the plugin, which checks the config, except for what the JDK does not permit. */
  private Plugin open(RosteringClientBuilder options) {
    var opened = new Plugin(options, log);
    for (var key : List.of("auth_url", "base_url")) {
      if (URI.create(config.getOrDefault(key, "a://a")).getHost() == null) {
        var message =
            key
                + " has a host that java.net.URI does not accept: use letters, digits, dots, and"
                + " hyphens within a label, of which the last begins with a letter";
        throw RosteringException.ofConfig(Code.CONFIG_INVALID, key, message);
      }
    }
    return opened;
  }

  /** Returns the URL of the service. */
  URI base() {
    if (!config.containsKey("base_url")) {
      var message = "base_url is not set: set it, because only requests to it get the token";
      throw RosteringException.ofConfig(Code.CONFIG_MISSING, "base_url", message);
    }
    return URI.create(config.get("base_url"));
  }

  /** Adds a call, which its end removes, whether or not this throws. */
  void add(Call call) {
    calls.add(call);
    if (isClosing) {
      throw closed();
    }
    if (call.isCounted) {
      begun.increment();
    }
    setTimer(call.deadline);
  }

  /** Returns the time in nanoseconds, counted from near zero. */
  static long nanos() {
    return System.nanoTime() - ORIGIN;
  }

  /**
   * Has calls time out. They share one timer, which stays when they end: a timer for each, which
   * nearly every call would set and cancel, would wake a thread each time.
   */
  private synchronized void setTimer(long deadline) {
    var now = nanos();
    var time = Math.min(deadline, now + MOST_NANOS);
    if (time < timer) { // set last, because no thread may start
      timers.schedule(() -> timeOut(time), time - now, TimeUnit.NANOSECONDS);
      timer = time;
    }
  }

  private void timeOut(long time) {
    synchronized (this) {
      if (time != timer) { // it was set to a sooner time
        return;
      }
      timer = Long.MAX_VALUE;
    }
    for (var call : calls) {
      if (call.deadline > nanos()) {
        setTimer(call.deadline);
      } else {
        call.timeOut();
      }
    }
  }

  void remove(Call call) {
    calls.remove(call);
    endIfIdle();
  }

  /** Waits for the calls in progress, and ends those that take longer. */
  void close(long nanos) {
    Call.reserveStack(500); // or nothing is closed, and the next close can do it
    isClosing = true;
    endIfIdle();
    try {
      ended.get(nanos, TimeUnit.NANOSECONDS);
      return;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (TimeoutException | ExecutionException e) { // nothing but a timeout
    }
    Supplier<CancellationException> why =
        () -> new CancellationException("the client was closed before the call ended");
    calls.forEach(call -> call.end(why));
    holder.written().join(); // a second for each operation
  }

  private void endIfIdle() {
    if (isClosing && calls.isEmpty() && isFreed.compareAndSet(false, true)) {
      var written = holder.written();
      if (written.isDone()) {
        end();
      } else { // not in a call, nor in the flow
        written.thenRunAsync(this::end, task -> Threads.daemon("rostering-close", task).start());
      }
    }
  }

  private void end() {
    holder.forget(true);
    free();
    ended.complete(null);
  }

  private void free() {
    if (plugin != null) {
      plugin.free(this::now);
    }
    http.free();
    timers.shutdownNow();
    if (store != null) {
      store.free();
    }
  }

  static IllegalStateException closed() {
    return new IllegalStateException("the client is closed; open a new one");
  }

  /** Returns the time by which tokens expire. */
  long now() {
    return clock.instant().getEpochSecond();
  }

  Status status() {
    var renewing = holder.running() != null;
    return Status.of(plugin.status(now()), renewing, this);
  }

  /** Calls an export that sends nothing, and then drops what is kept. */
  void change(String export, byte[] input, boolean isSet) {
    synchronized (plugin) {
      plugin.call(export, input);
      holder.forget(isSet);
    }
  }

  /** Returns the plugin's request for an input. */
  Request request(Map<String, ?> input) {
    var kept = requests.get(input);
    if (kept == null) {
      kept = Request.of(Json.read(plugin.call("request", Json.write(input))));
      if (requests.size() >= MOST_REQUESTS) {
        requests.clear();
      }
      requests.put(input, kept);
    }
    return kept;
  }

  /** Sends a request once, and returns the status of the response. */
  interface Attempt<E extends Exception> {
    int send(Token token) throws E, InterruptedException;
  }

  /**
   * Has a request sent, and again with another token after a 401. Returns why there is no other
   * token after the last response, or null.
   *
   * @param sent gets the tokens
   */
  <E extends Exception> RuntimeException send(
      Call call, boolean isRepeatable, List<String> sent, Attempt<E> attempt)
      throws E, InterruptedException {
    for (var token = holder.token(null); ; ) {
      call.check();
      sent.add(token.accessToken());
      serviceRequests.increment();
      if (attempt.send(token) != 401) {
        holder.accept(token.accessToken());
        return null;
      }
      holder.refuse(token.accessToken(), isRepeatable && sent.size() == 1);
      if (!isRepeatable || sent.size() == MOST_SENDS) {
        return null;
      }
      try {
        call.check();
        token = holder.token(token.accessToken());
      } catch (RuntimeException e) {
        return e;
      }
      log.add(
          Level.WARNING, "the service refused the token; the request is retried with another one");
    }
  }
}
