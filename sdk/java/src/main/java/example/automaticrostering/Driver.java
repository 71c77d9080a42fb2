package example.automaticrostering;

import static java.util.concurrent.CompletableFuture.completedFuture;
import static java.util.concurrent.CompletableFuture.failedFuture;

import java.lang.System.Logger.Level;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/** What the calls of a client and its views share; it also closes them. */
final class Driver {
  /** Bounds the requests that are kept. */
  private static final int MOST_REQUESTS = 256;

  final PluginThread plugin;
  final Http http;
  final StoreSteps store;
  final BiConsumer<Level, String> log;
  final Holder holder = new Holder(this);
  private final InstantSource clock;

  /** The plugin builds the same request for the same input. */
  private final Map<Map<String, ?>, Request> requests = new ConcurrentHashMap<>();

  private final Set<Call<?>> calls = ConcurrentHashMap.newKeySet();
  final Deadlines deadlines = new Deadlines(calls);
  private final CompletableFuture<Void> closed = new CompletableFuture<>();
  private volatile boolean isClosing;

  Driver(Supplier<Exports> plugin, RosteringClientBuilder options) {
    clock = options.clock;
    log = options.log();
    this.plugin = new PluginThread(plugin);
    http = new Http(options.httpClient, options.maxBody); // while the plugin opens
    store = options.store == null ? null : new StoreSteps(options.store, log);
    this.plugin.awaitOpen();
  }

  /** Returns the time by which tokens expire. */
  long now() {
    return clock.instant().getEpochSecond();
  }

  /** Returns the plugin's request for an input. */
  CompletableFuture<Request> request(Map<String, ?> input) {
    var kept = requests.get(input);
    if (kept != null) {
      return completedFuture(kept);
    }
    return plugin.supply(
        () -> {
          var built = Request.of(Json.read(plugin.call("request", Json.write(input), null)));
          if (requests.size() >= MOST_REQUESTS) {
            requests.clear();
          }
          requests.put(input, built);
          return built;
        });
  }

  /** Calls an export that sends nothing, and then changes what is kept. */
  CompletableFuture<Void> change(String export, byte[] input, Runnable change) {
    return isClosing
        ? failedFuture(closed())
        : plugin.supply(
            () -> {
              plugin.call(export, input, null);
              change.run();
              return null;
            });
  }

  /** Adds a call that starts, and reports whether it may. */
  boolean add(Call<?> call) {
    calls.add(call);
    if (!isClosing) {
      return true;
    }
    remove(call); // whether or not the close has seen it
    return false;
  }

  void remove(Call<?> call) {
    calls.remove(call);
    closeIfIdle();
  }

  /** Closes, and returns a future that completes when the calls that started before have ended. */
  CompletableFuture<Void> close() {
    isClosing = true;
    closeIfIdle();
    return closed;
  }

  /** Cancels the calls that a close waits for. */
  void cancel() {
    for (var call : calls) {
      call.result.completeExceptionally(
          new CancellationException("the client was closed before the call ended"));
    }
  }

  private void closeIfIdle() {
    if (isClosing && calls.isEmpty()) {
      holder.abandon();
      plugin.execute(plugin::free);
      closed.complete(null);
    }
  }

  static IllegalStateException closed() {
    return new IllegalStateException("the client is closed; open a new one");
  }
}
