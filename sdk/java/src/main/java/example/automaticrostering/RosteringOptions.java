package example.automaticrostering;

import com.dylibso.chicory.log.Logger;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.extism.sdk.chicory.Manifest;
import org.extism.sdk.chicory.ManifestWasm;
import org.extism.sdk.chicory.Plugin;
import org.extism.sdk.chicory.http.HttpConfig;

/** How a client works. Each method changes this object. */
public final class RosteringOptions {
  // HTTP/1.1, because with version 2 the JDK asks plain http servers to upgrade.
  private static final HttpClient HTTP_CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  /** Begins with the defaults. */
  public RosteringOptions() {}

  private byte[] wasm;
  private boolean isInterpreted;
  HttpClient httpClient = HTTP_CLIENT;
  Duration timeout = Duration.ofSeconds(30);
  int maxAnswerBytes = 64 << 20;
  Store store;

  /**
   * Sets another plugin than the one in this library.
   *
   * @param wasm a build without WASI, of the contract {@link Rostering#CONTRACT}
   * @return this object
   */
  public RosteringOptions plugin(byte[] wasm) {
    this.wasm = wasm.clone();
    return this;
  }

  /**
   * Sets another plugin than the one in this library.
   *
   * @param wasm is read to its end, and not closed
   * @return this object
   * @throws IOException if it cannot be read
   */
  public RosteringOptions plugin(InputStream wasm) throws IOException {
    return plugin(wasm.readAllBytes());
  }

  /**
   * Sets another plugin than the one in this library.
   *
   * @param wasm a file, which is read here
   * @return this object
   * @throws IOException if it cannot be read
   */
  public RosteringOptions plugin(Path wasm) throws IOException {
    return plugin(Files.readAllBytes(wasm));
  }

  /**
   * Interprets the plugin instead of compiling it to JVM code: opens faster, runs slower.
   *
   * @return this object
   */
  public RosteringOptions interpreter() {
    isInterpreted = true;
    return this;
  }

  /**
   * Sets the client that sends the requests, for a proxy or TLS settings.
   *
   * @param client must not follow redirects, which could take the secret elsewhere
   * @return this object
   * @throws IllegalArgumentException if it follows redirects
   */
  public RosteringOptions httpClient(HttpClient client) {
    if (client.followRedirects() != HttpClient.Redirect.NEVER) {
      throw new IllegalArgumentException("the HTTP client must not follow redirects");
    }
    httpClient = client;
    return this;
  }

  /**
   * Bounds each call with all its requests and waits; 30 s if not set.
   *
   * @param timeout zero for no bound
   * @return this object
   */
  public RosteringOptions timeout(Duration timeout) {
    this.timeout = timeout;
    return this;
  }

  /**
   * Bounds the answers of the service; 64 MiB if not set.
   *
   * @param bytes a longer one is a {@code NETWORK_ERROR}
   * @return this object
   */
  public RosteringOptions maxAnswerBytes(int bytes) {
    maxAnswerBytes = bytes;
    return this;
  }

  /**
   * Shares the token with other clients.
   *
   * @param store where it is kept
   * @return this object
   */
  public RosteringOptions store(Store store) {
    this.store = store;
    return this;
  }

  Exports open(RosteringConfig config, Logger log) {
    var options =
        new Manifest.Options()
            .withAoT(!isInterpreted)
            .withConfig(Map.copyOf(config.keys))
            // The SDK loads no plugin that can send requests without one. Steps never use it.
            .withHttpConfig(new HttpConfig(() -> null, () -> null));
    var module = ManifestWasm.fromBytes(wasm == null ? ownPlugin() : wasm).build();
    var manifest = Manifest.ofWasms(module).withOptions(options).build();
    return Plugin.ofManifest(manifest).withLogger(log).build()::call;
  }

  private static byte[] ownPlugin() {
    try (var file = RosteringOptions.class.getResourceAsStream("rostering-nowasi.wasm")) {
      return file.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
