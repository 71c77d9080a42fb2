package example.automaticrostering;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.function.Supplier;

/**
 * The plugin, and the one daemon thread that enters it. So calls never enter it concurrently, and
 * no interrupt of a caller reaches it, which the runtime would turn into a trap.
 */
final class PluginThread {
  private final ExecutorService thread = Threads.pool("rostering-plugin", 1);

  /** Used by the thread alone; null once it is freed. */
  private ExtismHost plugin;

  private final CompletableFuture<Void> opened;

  /** Starts to open the plugin. */
  PluginThread(Supplier<ExtismHost> file) {
    opened = CompletableFuture.runAsync(() -> open(file), thread);
  }

  private void open(Supplier<ExtismHost> file) {
    int contract;
    try {
      plugin = file.get();
      contract = Json.read(plugin.call("version", new byte[0])).getInt("contract");
    } catch (RuntimeException e) {
      throw wrong("the file is not a build of the plugin (" + e.getMessage() + ")", e);
    }
    if (contract != RosteringClient.CONTRACT) {
      throw wrong("the plugin has contract " + contract, null);
    }
    call("check", new byte[0], null);
    // Loads the classes of calls, which takes so long that the first calls could time out.
    Step.ofJson(Json.write(Map.of("step", "done")));
    RosteringException.ofNetwork("", true);
  }

  private static IllegalArgumentException wrong(String what, Exception cause) {
    return new IllegalArgumentException(
        "%s; this library needs contract %d: use the library from the plugin's release"
            .formatted(what, RosteringClient.CONTRACT),
        cause);
  }

  /** Waits until the plugin is open, even if this thread is interrupted. */
  void awaitOpen() {
    try {
      opened.join();
    } catch (CompletionException e) {
      throw RosteringException.thrown(e);
    }
  }

  /** Runs a task in the thread. */
  <T> T run(Callable<T> task) throws InterruptedException {
    try {
      return thread.submit(task).get();
    } catch (ExecutionException e) {
      throw RosteringException.thrown(e);
    }
  }

  void free() {
    thread.execute(() -> plugin = null);
  }

  /** In the thread: calls an export. A network_error then has the failure of the last request. */
  byte[] call(String export, byte[] input, Throwable failure) {
    if (plugin == null) {
      throw Driver.closed();
    }
    try {
      return plugin.call(export, input);
    } catch (ExtismHost.Failure e) {
      throw RosteringException.ofPlugin(e.getMessage().getBytes(UTF_8), null, failure);
    } catch (Throwable e) { // the runtime throws StackOverflowError, too
      throw RosteringException.ofBug(e.toString(), e);
    }
  }
}
