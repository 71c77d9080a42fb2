package example.automaticrostering;

import com.dylibso.chicory.compiler.MachineFactoryCompiler;
import com.dylibso.chicory.runtime.Instance;
import com.dylibso.chicory.runtime.Machine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.extism.sdk.chicory.Kernel;

/**
 * The plugin, and the kernel of Extism that it imports, as src/build/CompilePlugin.java made them.
 */
final class Compiled {
  /** Whether the SDK on the class path has the kernel that was compiled. */
  private static final boolean KNOWS_KERNEL =
      Arrays.equals(
          read(Compiled.class, "kernel.wasm"), read(Kernel.class, "/extism-runtime.wasm"));

  private Compiled() {}

  /** Returns the plugin's module without its code. */
  static byte[] plugin() {
    return read(Compiled.class, "Plugin.meta");
  }

  /** Returns the code of an instance of the plugin or of the kernel. */
  static Machine machine(Instance instance) {
    if (exports(instance, "begin")) {
      return new PluginMachine(instance);
    }
    return KNOWS_KERNEL ? new KernelMachine(instance) : MachineFactoryCompiler.compile(instance);
  }

  private static boolean exports(Instance instance, String name) {
    var exports = instance.module().exportSection();
    return IntStream.range(0, exports.exportCount())
        .anyMatch(i -> exports.getExport(i).name().equals(name));
  }

  private static byte[] read(Class<?> of, String resource) {
    try (var file = of.getResourceAsStream(resource)) {
      return file.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
