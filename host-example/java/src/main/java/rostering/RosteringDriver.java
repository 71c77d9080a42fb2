package rostering;

import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;

/**
 * One instance of the plugin, with its token, whose requests this class sends with the JDK's
 * client; the plugin's own HTTP is switched off. Open one and share it: the requests of many
 * threads are under way at once, and they share one token request.
 */
public final class RosteringDriver extends PluginCalls {
  private final Steps steps;
  private final Duration timeout;

  private RosteringDriver(Steps steps, Duration timeout) {
    this.steps = steps;
    this.timeout = timeout;
  }

  /**
   * Makes an instance of the plugin. It sends nothing yet: a wrong config shows at the first call.
   */
  public static RosteringDriver open(Path wasm, RosteringConfig config) {
    return open(wasm, config, JdkHttp.defaultClient());
  }

  /**
   * The same with an HTTP client of your own, for a proxy or TLS settings.
   *
   * @throws IllegalArgumentException if the client follows redirects
   */
  public static RosteringDriver open(Path wasm, RosteringConfig config, HttpClient client) {
    return open(wasm, config, client, Clock.systemUTC());
  }

  static RosteringDriver open(
      Path wasm, RosteringConfig config, HttpClient client, InstantSource clock) {
    var plugin = PluginFactory.open(wasm, config, new String[0], new NoHttp());
    return new RosteringDriver(new Steps(plugin, client, clock), config.timeout());
  }

  @Override
  byte[] call(String call, Map<String, ?> input) throws InterruptedException {
    return steps.call(call, input, timeout);
  }

  @Override
  byte[] tell(String export, Map<String, ?> input) throws InterruptedException {
    var isClear = input.isEmpty(); // clear_token takes nothing, not even the time
    return steps.tell(export, isClear ? input : steps.timed(input), timeout);
  }
}
