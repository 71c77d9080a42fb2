package rostering;

import java.net.http.HttpRequest.BodyPublisher;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.extism.sdk.chicory.Plugin;

/**
 * What the calls of a client share. One daemon thread enters the plugin and keeps the state of all
 * calls: so the plugin is never entered twice at once, and no interrupt of a caller reaches it,
 * which the SDK makes a trap of, in the middle of what the plugin writes.
 */
final class Loop {
  final Plugin plugin;
  final Http http;
  final SharedStore store;

  private final ScheduledThreadPoolExecutor thread =
      new ScheduledThreadPoolExecutor(1, daemons("rostering-plugin"));
  private final CompletableFuture<Void> closed = new CompletableFuture<>();

  // Of the thread alone.
  private final Set<Call> calls = new HashSet<>();
  private final Map<Call, Runnable> waiting = new LinkedHashMap<>();
  private boolean closing;

  /** The store may be null. */
  Loop(Plugin plugin, Http http, Store store) {
    this.plugin = plugin;
    this.http = http;
    this.store = store == null ? null : new SharedStore(store);
    thread.setRemoveOnCancelPolicy(true);
  }

  static ThreadFactory daemons(String name) {
    return task -> {
      var thread = new Thread(task, name);
      thread.setDaemon(true);
      return thread;
    };
  }

  /** What this host can do beside requests. */
  List<String> accepts() {
    return store == null ? List.of("wait") : List.of("wait", "store");
  }

  /** Makes a call: see {@link Call#Call}. */
  CompletableFuture<Call.Result> start(
      byte[] begin, Supplier<?> now, Duration timeout, BodyPublisher body) {
    var call = new Call(this, now, timeout, body);
    call.start(begin);
    return call.result;
  }

  /** Calls an export that has no steps. */
  CompletableFuture<byte[]> tell(String export, byte[] input) {
    var output = new CompletableFuture<byte[]>();
    try {
      run(
          () -> {
            try {
              requireOpen();
              output.complete(plugin.call(export, input));
            } catch (Throwable e) { // the SDK throws StackOverflowError, too
              output.completeExceptionally(e);
            }
          });
    } catch (RejectedExecutionException e) {
      output.completeExceptionally(isClosed());
    }
    return output;
  }

  /** Runs a task on the thread. */
  void run(Runnable task) {
    thread.execute(task);
  }

  Future<?> runLater(Duration delay, Runnable task) {
    return thread.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
  }

  void begin(Call call) {
    requireOpen();
    calls.add(call);
  }

  void end(Call call) {
    waiting.remove(call);
    calls.remove(call);
    closeIfIdle();
  }

  /** Goes on with a call after a delay, or when another has a token, or has failed to get one. */
  Future<?> await(Call call, double seconds, Runnable then) {
    waiting.put(call, then);
    return runLater(Duration.ofNanos((long) (seconds * 1e9)), () -> wake(call));
  }

  void wakeAll() {
    List.copyOf(waiting.keySet()).forEach(this::wake);
  }

  private void wake(Call call) {
    var then = waiting.remove(call);
    if (then != null) {
      then.run();
    }
  }

  /** Ends when the calls begun before have ended, also those whose callers have left. */
  CompletableFuture<Void> close() {
    try {
      run(
          () -> {
            closing = true;
            closeIfIdle();
          });
    } catch (RejectedExecutionException e) {
      // it was closed before
    }
    return closed;
  }

  private void closeIfIdle() {
    if (closing && calls.isEmpty()) {
      thread.shutdown();
      if (store != null) {
        store.close();
      }
      closed.complete(null);
    }
  }

  private void requireOpen() {
    if (closing) {
      throw isClosed();
    }
  }

  static IllegalStateException isClosed() {
    return new IllegalStateException("the client is closed");
  }
}
