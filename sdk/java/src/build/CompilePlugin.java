import com.dylibso.chicory.build.time.compiler.Config;
import com.dylibso.chicory.build.time.compiler.Generator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Compiles the plugin, and the kernel of Extism in chicory-sdk-core, to classes of the library. At
 * run time that would take seconds, in each process.
 *
 * <p>Usage: CompilePlugin WASM FOLDER
 */
class CompilePlugin {
  public static void main(String[] args) throws IOException {
    var classes = Path.of(args[1]);
    compile(Path.of(args[0]), "Plugin", classes);
    var kernel = classes.resolve("example/automaticrostering/kernel.wasm");
    try (var resource = ClassLoader.getSystemResourceAsStream("extism-runtime.wasm")) {
      Files.write(kernel, resource.readAllBytes());
    }
    compile(kernel, "Kernel", classes);
    Files.delete(classes.resolve("example/automaticrostering/Kernel.meta"));
  }

  /** Makes the class NAMEMachine, and the file NAME.meta, which is the module without its code. */
  private static void compile(Path wasm, String name, Path classes) throws IOException {
    var config =
        Config.builder()
            .withWasmFile(wasm)
            .withName("example.automaticrostering." + name)
            .withTargetClassFolder(classes)
            .withTargetWasmFolder(classes)
            .build();
    var generator = new Generator(config);
    generator.generateMetaWasm(generator.generateResources());
  }
}
