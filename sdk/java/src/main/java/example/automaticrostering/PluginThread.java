package example.automaticrostering;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.function.Supplier;

/**
 * The plugin, and the one daemon thread that enters it. So calls never enter it concurrently, and
 * no interrupt of a caller reaches it, which the runtime would turn into a trap.
 */
final class PluginThread implements Executor {
  private final ExecutorService thread = Daemons.named("rostering-plugin", 1);

  /** Used by the thread alone; null once it is freed. */
  private Exports plugin;

  private final CompletableFuture<Void> opened;

  /** Starts to open the plugin. */
  PluginThread(Supplier<Exports> plugin) {
    opened =
        supply(
            () -> {
              this.plugin = Exports.open(plugin);
              call("check", new byte[0], null);
              loadClasses();
              return null;
            });
  }

  /** Waits until the plugin is open, and throws what prevented that. */
  void awaitOpen() {
    Client.join(opened);
  }

  /** Loads the classes of calls, which takes so long that the first calls could time out. */
  private static void loadClasses() {
    Step.ofJson(Json.write(Map.of("step", "done")));
    RosteringException.ofNetwork("", true);
  }

  @Override
  public void execute(Runnable task) {
    thread.execute(task);
  }

  /** Returns what the thread will return. */
  <T> CompletableFuture<T> supply(Supplier<T> task) {
    return CompletableFuture.supplyAsync(task, this);
  }

  // The methods below are for the thread alone.

  /** Calls an export; a network_error then has the failure of the request before it. */
  byte[] call(String export, byte[] input, Throwable failure) {
    if (plugin == null) {
      throw Driver.closed();
    }
    try {
      return plugin.call(export, input);
    } catch (Exports.Failure e) {
      throw RosteringException.ofPlugin(e.getMessage().getBytes(UTF_8), null, failure);
    } catch (Throwable e) { // the runtime throws StackOverflowError, too
      throw RosteringException.ofBug(e.toString(), e);
    }
  }

  void free() {
    plugin = null;
  }
}
