package example.automaticrostering;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.System.Logger.Level;
import java.util.function.Function;
import run.endive.runtime.ByteArrayMemory;
import run.endive.runtime.Instance;
import run.endive.runtime.Machine;
import run.endive.runtime.Memory;
import run.endive.wasm.WasmModule;
import run.endive.wasm.types.MemoryLimits;

/**
 * Runs the plugin, which imports nothing: a call is a function of a state, which is kept here, and
 * an input. See docs/contract.md, Without Extism. The memory checks all bounds: what exceeds them
 * throws, and leaves the state from before the call.
 */
final class PluginInstance {
  /** An error of an export, as JSON of the contract. */
  static final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1;

    final byte[] json;

    Failure(byte[] json) {
      super("an error of the plugin", null, false, false);
      this.json = json;
    }
  }

  private static final int MAX_PAGES = 256; // of 64 KiB

  /** The plugin's own value, with the config and the token. An earlier one undoes what followed. */
  byte[] state = {};

  private final Log log;
  private final Instance instance;
  private final Memory memory;

  PluginInstance(WasmModule module, Function<Instance, Machine> machine, Log log) {
    this.log = log;
    instance =
        Instance.builder(module)
            .withMachineFactory(machine)
            .withMemoryFactory(
                m -> new ByteArrayMemory(new MemoryLimits(m.initialPages(), MAX_PAGES)))
            .build();
    memory = instance.exports().memory("memory");
  }

  byte[] call(String export, byte[] input) {
    var room = run("room", state.length + input.length);
    memory.write(room, state);
    memory.write(room + state.length, input);
    var head = run(export, state.length, input.length);
    var from = head + 16;
    var parts = new byte[3][];
    for (var i = 0; i < parts.length; i++) {
      parts[i] = memory.readBytes(from, memory.readInt(head + 4 + 4 * i));
      from += parts[i].length;
    }
    state = parts[0];
    new String(parts[2], UTF_8)
        .lines()
        .forEach(
            line ->
                log.add(
                    line.startsWith("w") ? Level.WARNING : Level.DEBUG,
                    line.substring(Math.min(1, line.length()))));
    if (memory.readInt(head) != 0) {
      throw new Failure(parts[1]);
    }
    return parts[1];
  }

  private int run(String export, long... arguments) {
    return (int) instance.export(export).apply(arguments)[0];
  }
}
