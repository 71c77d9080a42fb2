package rostering;

import com.dylibso.chicory.wasi.WasiOptions;
import java.nio.file.Path;
import org.extism.sdk.chicory.Manifest;
import org.extism.sdk.chicory.ManifestWasm;
import org.extism.sdk.chicory.Plugin;
import org.extism.sdk.chicory.http.HttpClientAdapter;
import org.extism.sdk.chicory.http.HttpConfig;

/** Makes instances of the plugin. */
final class PluginFactory {
  private PluginFactory() {}

  static Plugin open(
      Path wasm, RosteringConfig config, String[] allowedHosts, HttpClientAdapter http) {
    var options =
        new Manifest.Options()
            // Interpreted: withAoT() takes longer to compile than thousands of calls then save.
            .withAoT(false)
            // With these options the plugin's clock is the system's.
            .withWasi(WasiOptions.builder().build())
            .withConfig(config.keys())
            .withAllowedHosts(allowedHosts)
            .withHttpConfig(
                HttpConfig.builder()
                    .withClientAdapter(() -> http)
                    .withJsonCodec(JsonCodec::new)
                    .build());
    var module = ManifestWasm.fromFilePath(wasm).build();
    return Plugin.ofManifest(Manifest.ofWasms(module).withOptions(options).build())
        .withLogger(new PluginLog())
        .build();
  }
}
