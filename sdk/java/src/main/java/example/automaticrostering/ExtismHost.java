package example.automaticrostering;

import static java.lang.Math.toIntExact;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import run.endive.runtime.ByteArrayMemory;
import run.endive.runtime.HostFunction;
import run.endive.runtime.ImportFunction;
import run.endive.runtime.ImportValues;
import run.endive.runtime.Instance;
import run.endive.runtime.Machine;
import run.endive.runtime.TrapException;
import run.endive.runtime.WasmFunctionHandle;
import run.endive.wasm.UnlinkableException;
import run.endive.wasm.WasmModule;
import run.endive.wasm.types.FunctionImport;
import run.endive.wasm.types.Import;
import run.endive.wasm.types.MemoryLimits;

/**
 * Runs the plugin on a bare WebAssembly runtime, with the functions of Extism that it imports. What
 * exceeds a bound throws, which ends the export but not the instance.
 */
final class ExtismHost implements Exports {
  private static final Set<String> FUNCTIONS =
      Set.of(
          ("alloc length load_u8 load_u64 store_u8 store_u64 input_length input_load_u8"
                  + " input_load_u64 output_set error_set var_get var_set config_get log_debug"
                  + " log_warn http_request http_status_code")
              .split(" "));

  private static final int MAX_PAGES = 256; // of 64 KiB
  private static final int MAX_VAR_BYTES = 1 << 20;
  private static final byte[] NOTHING = {};

  private final Map<String, String> config;
  private final BiConsumer<Level, String> log;
  private final Map<String, byte[]> vars = new HashMap<>();
  private final Blocks blocks = new Blocks();
  private final Instance instance;
  private ByteBuffer input;
  private byte[] output;
  private byte[] error;

  ExtismHost(
      WasmModule module,
      Function<Instance, Machine> machine,
      Map<String, String> config,
      BiConsumer<Level, String> log) {
    this.config = config;
    this.log = log;
    var imports = module.importSection().stream().map(i -> function(module, i)).toList();
    instance =
        Instance.builder(module)
            .withImportValues(ImportValues.builder().withFunctions(imports).build())
            .withMachineFactory(machine)
            .withMemoryFactory(
                m -> new ByteArrayMemory(new MemoryLimits(m.initialPages(), MAX_PAGES)))
            .build();
    instance.export("_initialize").apply();
  }

  private ImportFunction function(WasmModule module, Import wanted) {
    var name = wanted.name();
    if (!wanted.module().equals("extism:host/env") || !FUNCTIONS.contains(name)) {
      throw new UnlinkableException("it imports " + wanted.module() + " " + name);
    }
    var type = module.typeSection().getType(((FunctionImport) wanted).typeIndex());
    WasmFunctionHandle handle =
        type.returns().isEmpty()
            ? (plugin, args) -> run(name, args)
            : (plugin, args) -> new long[] {result(name, args)};
    return new HostFunction(wanted.module(), name, type, handle);
  }

  @Override
  public byte[] call(String export, byte[] in) {
    blocks.reset();
    input = Blocks.buffer(in);
    output = NOTHING;
    error = NOTHING;
    if (instance.export(export).apply()[0] != 0) {
      throw new Failure(new String(error, UTF_8));
    }
    return output;
  }

  long result(String function, long[] args) {
    return switch (function) {
      case "input_length" -> input.capacity();
      case "input_load_u8" -> input.get(toIntExact(args[0])) & 0xff;
      case "input_load_u64" -> input.getLong(toIntExact(args[0]));
      case "alloc" -> blocks.add(args[0]);
      case "length" -> blocks.bytes(args[0]).length;
      case "load_u8" -> blocks.at(args[0]).get((int) args[0]) & 0xff;
      case "load_u64" -> blocks.at(args[0]).getLong((int) args[0]);
      case "var_get" -> blocks.copy(vars.getOrDefault(blocks.text(args[0]), NOTHING));
      case "config_get" ->
          blocks.copy(config.getOrDefault(blocks.text(args[0]), "").getBytes(UTF_8));
      default -> throw new TrapException("a step never needs " + function);
    };
  }

  long[] run(String function, long[] args) {
    switch (function) {
      case "store_u8" -> blocks.at(args[0]).put((int) args[0], (byte) args[1]);
      case "store_u64" -> blocks.at(args[0]).putLong((int) args[0], args[1]);
      case "var_set" -> setVar(blocks.text(args[0]), blocks.bytes(args[1]));
      case "output_set" -> output = blocks.bytes(args[0], args[1]);
      case "error_set" -> error = blocks.bytes(args[0]);
      case "log_debug" -> log.accept(Level.DEBUG, blocks.text(args[0]));
      case "log_warn" -> log.accept(Level.WARNING, blocks.text(args[0]));
      default -> throw new TrapException(function + " has no result");
    }
    return null;
  }

  private void setVar(String name, byte[] value) {
    var used = name.length() + (long) value.length;
    for (var other : vars.entrySet()) {
      used += other.getKey().equals(name) ? 0 : other.getKey().length() + other.getValue().length;
    }
    if (used > MAX_VAR_BYTES) {
      throw new TrapException("no room for a var of " + value.length + " bytes");
    }
    vars.put(name, value.clone()); // an empty one is no value
  }
}
