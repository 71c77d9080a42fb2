import java.io.IOException;
import java.nio.file.Path;
import run.endive.build.time.compiler.Config;
import run.endive.build.time.compiler.Generator;
import run.endive.compiler.InterpreterFallback;

/**
 * Compiles the plugin to classes of the library: PluginMachine, and Plugin.meta, which is the
 * module without its code. At run time that would take seconds, in each process.
 *
 * <p>Usage: CompilePlugin WASM FOLDER
 */
class CompilePlugin {
  public static void main(String[] args) throws IOException {
    var classes = Path.of(args[1]);
    var config =
        Config.builder()
            .withWasmFile(Path.of(args[0]))
            .withName("example.automaticrostering.Plugin")
            .withTargetClassFolder(classes)
            .withTargetWasmFolder(classes)
            .withInterpreterFallback(InterpreterFallback.FAIL)
            .build();
    var generator = new Generator(config);
    generator.generateMetaWasm(generator.generateResources());
  }
}
