package rostering;

import java.net.http.HttpClient;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.extism.sdk.chicory.Plugin;

/**
 * One instance of the plugin, with its token, that sends its requests through the SDK. Open one and
 * share it: threads take turns, because an instance does one call at a time.
 */
public final class RosteringClient extends PluginCalls {
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
    return open(wasm, config, JdkHttp.defaultClient());
  }

  /**
   * The same with an HTTP client of your own, for a proxy or TLS settings.
   *
   * @throws IllegalArgumentException if the client follows redirects
   */
  public static RosteringClient open(Path wasm, RosteringConfig config, HttpClient client) {
    var http = new HttpAdapter(client, config.timeout());
    return new RosteringClient(PluginFactory.open(wasm, config, config.hosts(), http), http);
  }

  @Override
  byte[] call(String export, Map<String, ?> input) throws InterruptedException {
    var json = Json.write(input);
    turn.lockInterruptibly();
    try {
      http.startCall();
      return plugin.call(export, json);
    } finally {
      turn.unlock();
    }
  }

  @Override
  byte[] tell(String export, Map<String, ?> input) throws InterruptedException {
    return call(export, input);
  }
}
