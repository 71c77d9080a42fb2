package rostering;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** How a client works. Every option has a default; each method changes this object. */
public final class RosteringOptions {
  private static final String BUNDLED = "rostering-nowasi.wasm";

  byte[] plugin;
  boolean interpreter;
  HttpClient httpClient;
  Duration timeout = Duration.ofSeconds(30);
  long maxAnswerBytes = 64L << 20;
  Store store;

  /** Another plugin than the one in this library: the build without WASI. */
  public RosteringOptions plugin(byte[] wasm) {
    plugin = wasm.clone();
    return this;
  }

  /** Reads the plugin to the stream's end, and does not close it. */
  public RosteringOptions plugin(InputStream wasm) throws IOException {
    return plugin(wasm.readAllBytes());
  }

  public RosteringOptions plugin(Path wasm) throws IOException {
    return plugin(Files.readAllBytes(wasm));
  }

  /**
   * Whether the plugin is interpreted. If not, it is compiled to JVM code, which takes half a
   * second longer to open, and a call is then several times faster.
   */
  public RosteringOptions interpreter(boolean interpreted) {
    interpreter = interpreted;
    return this;
  }

  /**
   * A client of yours, for a proxy or TLS settings.
   *
   * @throws IllegalArgumentException if it follows redirects: one of the token request could send
   *     the secret to another host
   */
  public RosteringOptions httpClient(HttpClient client) {
    if (client.followRedirects() != HttpClient.Redirect.NEVER) {
      throw new IllegalArgumentException("the HTTP client must not follow redirects");
    }
    httpClient = client;
    return this;
  }

  /** Bounds each call with all its requests and waits; 30 s if not set, zero for no bound. */
  public RosteringOptions timeout(Duration timeout) {
    this.timeout = timeout;
    return this;
  }

  /** The most that an answer of the service may have; 64 MiB if not set. */
  public RosteringOptions maxAnswerBytes(long bytes) {
    maxAnswerBytes = bytes;
    return this;
  }

  /** Shares the token with other clients. */
  public RosteringOptions store(Store store) {
    this.store = store;
    return this;
  }

  byte[] wasm() {
    if (plugin != null) {
      return plugin;
    }
    try (var bundled = RosteringOptions.class.getResourceAsStream(BUNDLED)) {
      if (bundled == null) {
        throw new IllegalStateException("the library was built without " + BUNDLED);
      }
      return bundled.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
