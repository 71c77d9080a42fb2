package example.automaticrostering;

import static java.util.concurrent.CompletableFuture.runAsync;

import java.util.List;
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
  private final KeptSteps kept = new KeptSteps();

  /** Used by the thread alone; null once it is freed. */
  private Exports plugin;

  private final CompletableFuture<Void> opened;

  /** Starts to open the plugin. */
  PluginThread(Supplier<Exports> plugin) {
    opened =
        runAsync(
            () -> {
              this.plugin = Exports.open(plugin);
              call("check", new byte[0]);
              loadClasses();
            },
            this);
  }

  /** Waits until the plugin is open, and throws what prevented that. */
  void awaitOpen() {
    Client.join(opened);
  }

  /** Loads the classes of calls, which takes so long that the first calls could time out. */
  private static void loadClasses() {
    Step.ofJson(Json.write(Map.of("step", "done", "now", 1L)));
    RosteringException.ofNetwork("", true);
  }

  @Override
  public void execute(Runnable task) {
    thread.execute(task);
  }

  /** Returns the first step of a call, or null if the plugin has to be asked: in any thread. */
  Step kept(Beginning beginning, long now) {
    return kept.find(beginning, now);
  }

  // The methods below are for the thread alone.

  /** Returns the first step of a call, and keeps it if that is allowed. */
  Step begin(Beginning beginning, List<String> accepts, long now) {
    if (beginning.isRefusal()) {
      kept.drop();
    }
    var current = kept.current();
    var step = Step.ofJson(enter("begin", beginning.json(accepts, now), null, null));
    KeptSteps.keep(current, beginning, step);
    return step;
  }

  /** Calls an export that may change what the plugin keeps. */
  byte[] call(String export, byte[] input) {
    return call(export, input, null, null);
  }

  /** Calls an export; an error then has what is known of the response or failure before it. */
  byte[] call(String export, byte[] input, Response response, Throwable failure) {
    kept.drop();
    return enter(export, input, response, failure);
  }

  private byte[] enter(String export, byte[] input, Response response, Throwable failure) {
    if (plugin == null) {
      throw Driver.closed();
    }
    try {
      return plugin.call(export, input);
    } catch (Exports.Failure e) {
      throw RosteringException.ofPlugin(e.getMessage(), response, failure);
    } catch (Throwable e) { // the runtime throws StackOverflowError, too
      throw RosteringException.ofBug(e.toString(), e);
    }
  }

  void free() {
    plugin = null;
    kept.drop();
  }
}
