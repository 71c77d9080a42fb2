package example.automaticrostering;

import com.grack.nanojson.JsonObject;
import example.automaticrostering.RosteringException.Code;
import example.automaticrostering.RosteringException.Reason;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The plugin, and the one daemon thread that enters it. So calls never enter it concurrently, and
 * no interrupt of a caller reaches it, which the runtime would turn into a trap.
 */
final class PluginThread {
  static final byte[] NOTHING = {};

  /** Bounds inputs, in bytes. Valid ones are smaller. */
  private static final int MOST_INPUT = 4 << 20;

  private final ExecutorService thread = Threads.pool("rostering-plugin", 1);

  /** How often the plugin ran; for tests. */
  final LongAdder runs = new LongAdder();

  /** Used by the thread alone; null once it is freed. */
  private PluginInstance plugin;

  private final CompletableFuture<Void> opened;

  private volatile CompletableFuture<?> freed;

  /** The last numbers of the plugin, after it is freed. */
  private JsonObject status = new JsonObject();

  /** Starts to open the plugin, and checks the config and the default headers with it. */
  PluginThread(
      Supplier<PluginInstance> file, Map<String, String> config, Map<String, String> headers) {
    opened = CompletableFuture.runAsync(() -> open(file, config, headers), thread);
  }

  private void open(
      Supplier<PluginInstance> file, Map<String, String> config, Map<String, String> headers) {
    int contract;
    try {
      plugin = file.get();
      contract = Json.read(plugin.call("version", NOTHING)).getInt("contract");
    } catch (RuntimeException e) {
      throw wrong("the file is no rostering-core.wasm (" + e.getMessage() + ")", e);
    }
    if (contract != RosteringClient.CONTRACT) {
      throw wrong("the plugin has contract " + contract, null);
    }
    configure(config);
    if (!headers.isEmpty() && config.containsKey("base_url")) {
      var ids = Map.of("customer_id", "any", "user_id", "any", "headers", headers);
      call("request", Json.write(ids), null);
    }
    // Loads the classes of calls, which takes so long that the first calls could time out.
    Step.ofJson(Json.write(Map.of("step", "done")));
    RosteringException.ofNetwork(Reason.OTHER, "", true);
  }

  private static IllegalArgumentException wrong(String what, Exception cause) {
    return new IllegalArgumentException(
        "%s; this library needs contract %d: use the library from the plugin's release"
            .formatted(what, RosteringClient.CONTRACT),
        cause);
  }

  /** Waits until the plugin is open. */
  void awaitOpen() {
    join(opened);
  }

  /**
   * Runs a task in the thread, and waits for it even if this thread is interrupted. After that has
   * ended, the task sees a plugin that is freed.
   */
  <T> T run(Supplier<T> task) {
    var result = new CompletableFuture<T>();
    Runnable work =
        () -> {
          try {
            result.complete(task.get());
          } catch (Throwable e) { // supplyAsync would print it, which can throw again
            result.completeExceptionally(e);
          }
        };
    try {
      thread.execute(work);
    } catch (RejectedExecutionException e) {
      freed.join();
      return task.get();
    }
    return join(result);
  }

  private static <T> T join(CompletableFuture<T> result) {
    try {
      return result.join();
    } catch (CompletionException e) {
      throw RosteringException.thrown(e);
    }
  }

  /** Ends the thread. What the clock throws is nobody's. */
  void free(LongSupplier now) {
    Runnable task =
        () -> {
          try {
            status = status(now.getAsLong());
          } finally {
            plugin = null;
          }
        };
    freed = CompletableFuture.runAsync(task, thread).exceptionally(e -> null);
    thread.shutdown();
  }

  /** Replaces the secret, unless the plugin rejects it. */
  void setSecret(String secret) {
    run(
        () -> {
          configure(Map.of("client_secret", secret));
          return null;
        });
  }

  /** In the thread: sets keys of the config, or none, if the config would be invalid. */
  private void configure(Map<String, String> keys) {
    if (plugin == null) {
      throw Shared.closed();
    }
    var before = plugin.state;
    try {
      call("configure", Json.write(keys), null);
      call("check", NOTHING, null);
    } catch (RuntimeException e) {
      plugin.state = before;
      throw e;
    }
  }

  /** In the thread: returns the plugin's part of the status. */
  JsonObject status(long now) {
    return plugin == null
        ? status
        : Json.read(call("status", Json.write(Map.of("now", now)), null));
  }

  /** In the thread: calls an export. A network_error then has the failure of the request. */
  byte[] call(String export, byte[] input, Http.Failure failure) {
    if (plugin == null) {
      throw Shared.closed();
    }
    if (input.length > MOST_INPUT) {
      throw new RosteringException(
          Code.INVALID_INPUT, "the arguments are too long: shorten them", false, Map.of());
    }
    runs.increment();
    try {
      return plugin.call(export, input);
    } catch (PluginInstance.Failure e) {
      throw RosteringException.ofPlugin(e.json, failure);
    } catch (Throwable e) { // the runtime throws StackOverflowError, too
      throw RosteringException.ofBug(e.toString(), e);
    }
  }
}
