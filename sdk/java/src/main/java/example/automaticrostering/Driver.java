package example.automaticrostering;

import static java.util.concurrent.CompletableFuture.failedFuture;
import static java.util.concurrent.CompletableFuture.supplyAsync;

import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** What the calls of a client and its views share; it also closes them. */
final class Driver {
  final PluginThread plugin;
  final Http http;
  final StoreSteps store;
  private final InstantSource clock;

  /** Used by the plugin's thread alone. */
  final Set<CompletableFuture<Void>> waitsForCalls = new HashSet<>();

  private final Set<Call> calls = ConcurrentHashMap.newKeySet();
  final Deadlines deadlines = new Deadlines(calls);
  private final CompletableFuture<Void> closed = new CompletableFuture<>();
  private volatile boolean isClosing;

  Driver(Supplier<Exports> plugin, RosteringClientBuilder options) {
    clock = options.clock;
    this.plugin = new PluginThread(plugin);
    http = new Http(options.httpClient, options.maxBody); // while the plugin opens
    store = options.store == null ? null : new StoreSteps(options.store, options.log());
    this.plugin.awaitOpen();
  }

  /** Returns a call that has not started. */
  Call call(Beginning beginning, long timeout, BodyPublisher body) {
    var accepts = store == null ? List.of("wait", "renew") : List.of("wait", "store", "renew");
    return new Call(this, beginning, accepts, timeout, body);
  }

  /**
   * Renews the token in the background, while calls use the valid one: in a call that its caller
   * has left, so that nobody waits for it or sees its error. If it fails, the log says so and the
   * plugin backs off.
   */
  void renew() {
    var accepts = store == null ? List.of("wait") : List.of("wait", "store");
    var renewal =
        new Call(this, Beginning.GET_TOKEN, accepts, Timeout.NONE, BodyPublishers.noBody());
    renewal.start().cancel(true);
  }

  /** Returns the time by which tokens expire. */
  long now() {
    return clock.instant().getEpochSecond();
  }

  /** Calls an export that has no steps. */
  CompletableFuture<byte[]> callExport(String export, byte[] input) {
    return isClosing
        ? failedFuture(closed())
        : supplyAsync(() -> plugin.call(export, input), plugin);
  }

  /** Adds a call that has started, and reports whether it may continue. */
  boolean add(Call call) {
    calls.add(call);
    if (!isClosing) {
      return true;
    }
    remove(call); // whether or not the close has seen it
    return false;
  }

  void remove(Call call) {
    calls.remove(call);
    left();
  }

  /** Notes that a caller no longer waits. */
  void left() {
    if (isClosing) {
      plugin.execute(this::closeIfIdle);
    }
  }

  /** Closes, and returns a future that completes when the calls that started before have ended. */
  CompletableFuture<Void> close() {
    isClosing = true;
    left();
    return closed;
  }

  /** Cancels the calls that a close waits for. */
  void cancel() {
    plugin.execute(
        () -> {
          for (var call : calls) {
            call.result.completeExceptionally(
                new CancellationException("the client was closed before the call ended"));
          }
          free();
        });
  }

  /** Gives up the sections that no caller waits for; anything else without a caller is short. */
  void closeIfIdle() {
    if (isClosing && calls.stream().allMatch(Call::isAbandoned)) {
      free();
    }
  }

  private void free() {
    plugin.free();
    closed.complete(null);
    calls.forEach(Call::giveUp);
  }

  boolean isClosed() {
    return closed.isDone();
  }

  static IllegalStateException closed() {
    return new IllegalStateException("the client is closed; open a new one");
  }
}
