package rostering;

import com.dylibso.chicory.log.Logger;
import java.io.IOException;
import java.io.InputStream;
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

  private byte[] wasm;
  private boolean isInterpreted;
  HttpClient httpClient = HTTP_CLIENT;
  Duration timeout = Duration.ofSeconds(30);
  int maxAnswerBytes = 64 << 20;
  Store store;

  /** Another plugin than the one in this library: a build without WASI. */
  public RosteringOptions plugin(byte[] wasm) {
    this.wasm = wasm.clone();
    return this;
  }

  /** Reads the plugin to the stream's end, and does not close it. */
  public RosteringOptions plugin(InputStream wasm) throws IOException {
    return plugin(wasm.readAllBytes());
  }

  public RosteringOptions plugin(Path wasm) throws IOException {
    return plugin(Files.readAllBytes(wasm));
  }

  /** Interprets the plugin instead of compiling it to JVM code: opens faster, runs slower. */
  public RosteringOptions interpreter() {
    isInterpreted = true;
    return this;
  }

  /** For a proxy or TLS settings. One that follows redirects could take the secret elsewhere. */
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

  /** The largest answer of the service that is read; 64 MiB if not set. */
  public RosteringOptions maxAnswerBytes(int bytes) {
    maxAnswerBytes = bytes;
    return this;
  }

  /** Shares the token with other clients. */
  public RosteringOptions store(Store store) {
    this.store = store;
    return this;
  }

  Plugin open(RosteringConfig config, Logger log) {
    var options =
        new Manifest.Options()
            .withAoT(!isInterpreted)
            .withConfig(Map.copyOf(config.keys))
            // The SDK loads no plugin that can send requests without one. Steps never use it.
            .withHttpConfig(new HttpConfig(() -> null, () -> null));
    var module =
        wasm != null
            ? ManifestWasm.fromBytes(wasm)
            : ManifestWasm.fromUrl(getClass().getResource("rostering-nowasi.wasm").toString());
    var manifest = Manifest.ofWasms(module.build()).withOptions(options).build();
    return Plugin.ofManifest(manifest).withLogger(log).build();
  }
}
