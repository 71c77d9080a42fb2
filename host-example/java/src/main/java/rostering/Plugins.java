package rostering;

import com.dylibso.chicory.log.Logger;
import org.extism.sdk.chicory.Manifest;
import org.extism.sdk.chicory.ManifestWasm;
import org.extism.sdk.chicory.Plugin;
import org.extism.sdk.chicory.http.HttpConfig;

/** Makes instances of the plugin. */
final class Plugins {
  private Plugins() {}

  static Plugin open(RosteringConfig config, RosteringOptions options, Logger log) {
    var manifest =
        new Manifest.Options()
            .withAoT(!options.interpreter)
            .withConfig(config.keys())
            // The SDK loads no plugin that can send requests without one. Steps never use it.
            .withHttpConfig(new HttpConfig(() -> null, () -> null));
    var module = ManifestWasm.fromBytes(options.wasm()).build();
    return Plugin.ofManifest(Manifest.ofWasms(module).withOptions(manifest).build())
        .withLogger(log)
        .build();
  }
}
