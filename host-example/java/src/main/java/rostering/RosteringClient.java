package rostering;

import java.net.http.HttpClient;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.extism.sdk.chicory.ExtismFunctionException;
import org.extism.sdk.chicory.Plugin;
import org.extism.sdk.chicory.http.ExtismHttpException;

/**
 * One instance of the plugin, with its token. Open one and share it: threads take turns, because an
 * instance does one call at a time. There is nothing to close; the garbage collector takes it.
 *
 * <p>Each call throws {@link RosteringException} if it fails, and InterruptedException if its
 * thread is interrupted while it waits. The instance and its token stay usable then.
 */
public final class RosteringClient {
  private final Plugin plugin;
  private final HttpAdapter http;
  private final ReentrantLock turn = new ReentrantLock();

  private RosteringClient(Plugin plugin, HttpAdapter http) {
    this.plugin = plugin;
    this.http = http;
  }

  /**
   * Makes an instance of the plugin. It sends nothing yet: a wrong config shows at the first call.
   */
  public static RosteringClient open(Path wasm, RosteringConfig config) {
    return open(wasm, config, HttpAdapter.defaultClient());
  }

  /**
   * The same with an HTTP client of your own, for a proxy or TLS settings.
   *
   * @throws IllegalArgumentException if the client follows redirects
   */
  public static RosteringClient open(Path wasm, RosteringConfig config, HttpClient client) {
    var http = new HttpAdapter(client, config.timeout());
    return new RosteringClient(PluginFactory.open(wasm, config, http), http);
  }

  /** Lists the jobs of the config's customer and user: the service's answer, byte for byte. */
  public byte[] listJobs() throws InterruptedException {
    return listJobs(JobsInput.ofConfig());
  }

  /** Lists the jobs of another customer or user. */
  public byte[] listJobs(JobsInput input) throws InterruptedException {
    return call("list_jobs", input.fields());
  }

  /** The token that the plugin has, or a new one, for requests of your own. */
  public Token getToken() throws InterruptedException {
    return Token.read(call("get_token", Map.of()));
  }

  /** Asks for a new token in any case. If that fails, the plugin keeps the one it has. */
  public Token renewToken() throws InterruptedException {
    return Token.read(call("get_token", Map.of("force", true)));
  }

  private byte[] call(String export, Map<String, ?> input) throws InterruptedException {
    var json = Json.write(input);
    turn.lockInterruptibly();
    try {
      http.startCall();
      return plugin.call(export, json);
    } catch (ExtismFunctionException e) {
      throw RosteringException.ofPlugin(e.getError(), e);
    } catch (ExtismHttpException e) {
      throwIfInterrupted();
      throw RosteringException.ofLostRequest(e);
    } catch (RuntimeException e) {
      throwIfInterrupted();
      throw new IllegalStateException("the plugin failed: " + e.getMessage(), e);
    } finally {
      turn.unlock();
    }
  }

  /** An interrupt ends a request, and then the plugin, with exceptions of the SDK. */
  private static void throwIfInterrupted() throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException("a call of the rostering plugin was interrupted");
    }
  }
}
