package example.automaticrostering;

import static java.lang.Math.toIntExact;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToLongFunction;
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
 *
 * <p>The plugin and its host exchange blocks of bytes, which live until the export returns. The
 * upper half of an offset is the number of a block, the lower half an index into it. Block 0 is
 * empty, and stands for no value.
 */
final class ExtismHost {
  /** An error of an export, as JSON of the contract. */
  static final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1;

    Failure(String json) {
      super(json);
    }
  }

  private static final int MAX_PAGES = 256; // of 64 KiB
  private static final int MAX_VAR_BYTES = 1 << 20;
  private static final int MAX_BLOCK_BYTES = 16 << 20;
  private static final int COST = 64; // of a block, in addition to its content
  private static final byte[] NOTHING = {};

  /** What the plugin reads; it may change between calls. */
  final Map<String, String> config;

  private final Log log;
  private final Map<String, byte[]> vars = new HashMap<>();
  private final Instance instance;
  private final List<ByteBuffer> blocks = new ArrayList<>();
  private int room; // for blocks, in bytes
  private ByteBuffer input;
  private byte[] output;
  private String error;

  ExtismHost(
      WasmModule module, Function<Instance, Machine> machine, Map<String, String> config, Log log) {
    this.config = new HashMap<>(config);
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
    if (wanted instanceof FunctionImport f && f.module().equals("extism:host/env")) {
      var type = module.typeSection().getType(f.typeIndex());
      return new HostFunction(f.module(), f.name(), type, function(f.name()));
    }
    throw new UnlinkableException("it imports " + wanted.module() + " " + wanted.name());
  }

  byte[] call(String export, byte[] in) {
    blocks.clear();
    room = MAX_BLOCK_BYTES;
    blocks.add(buffer(NOTHING));
    input = buffer(in);
    output = NOTHING;
    error = "";
    if (instance.export(export).apply()[0] != 0) {
      throw new Failure(error);
    }
    return output;
  }

  private WasmFunctionHandle function(String name) {
    return switch (name) {
      case "input_length" -> result(args -> input.capacity());
      case "input_load_u8" -> result(args -> input.get(toIntExact(args[0])) & 0xff);
      case "input_load_u64" -> result(args -> input.getLong(toIntExact(args[0])));
      case "output_set" ->
          effect(args -> output = copy(at(args[0]).slice((int) args[0], toIntExact(args[1]))));
      case "error_set" -> effect(args -> error = text(args[0]));
      case "alloc" -> result(args -> alloc(args[0]));
      case "length" -> result(args -> block(args[0]).length);
      case "load_u8" -> result(args -> at(args[0]).get((int) args[0]) & 0xff);
      case "load_u64" -> result(args -> at(args[0]).getLong((int) args[0]));
      case "store_u8" -> effect(args -> at(args[0]).put((int) args[0], (byte) args[1]));
      case "store_u64" -> effect(args -> at(args[0]).putLong((int) args[0], args[1]));
      case "var_get" -> result(args -> put(vars.getOrDefault(text(args[0]), NOTHING)));
      case "var_set" -> effect(args -> setVar(text(args[0]), block(args[1])));
      case "config_get" -> result(args -> put(Json.utf8(config.getOrDefault(text(args[0]), ""))));
      case "log_debug" -> effect(args -> log.add(Level.DEBUG, text(args[0])));
      case "log_warn" -> effect(args -> log.add(Level.WARNING, text(args[0])));
      case "http_request", "http_status_code" ->
          effect(args -> trap("the plugin sent a request itself, which a step never does"));
      default -> throw new UnlinkableException("it imports extism:host/env " + name);
    };
  }

  private static WasmFunctionHandle result(ToLongFunction<long[]> function) {
    return (plugin, args) -> new long[] {function.applyAsLong(args)};
  }

  private static WasmFunctionHandle effect(Consumer<long[]> function) {
    return (plugin, args) -> {
      function.accept(args);
      return null;
    };
  }

  private static void trap(String why) {
    throw new TrapException(why);
  }

  private void setVar(String name, byte[] value) {
    var used = name.length() + (long) value.length;
    for (var other : vars.entrySet()) {
      used += other.getKey().equals(name) ? 0 : other.getKey().length() + other.getValue().length;
    }
    if (used > MAX_VAR_BYTES) {
      trap("no room for a var of " + value.length + " bytes");
    }
    vars.put(name, value.clone()); // an empty one is no value
  }

  /** Returns the offset of a new block. */
  private long alloc(long size) {
    if (size == 0) {
      return 0;
    }
    if (size < 0 || size > room - COST) {
      trap("no room for a block of " + size + " bytes");
    }
    room -= (int) size + COST;
    blocks.add(buffer(new byte[(int) size]));
    return (blocks.size() - 1L) << 32;
  }

  /** Returns the offset of a new block with a copy of a value. */
  private long put(byte[] value) {
    var offset = alloc(value.length);
    at(offset).put(0, value);
    return offset;
  }

  /** Returns the block of an offset; its own bounds hold for the index, {@code (int) offset}. */
  private ByteBuffer at(long offset) {
    return blocks.get((int) (offset >>> 32));
  }

  /** Returns the block that begins at an offset. */
  private byte[] block(long offset) {
    if ((int) offset != 0) {
      trap("no block begins at " + offset);
    }
    return at(offset).array();
  }

  private String text(long offset) {
    return new String(block(offset), UTF_8);
  }

  private static byte[] copy(ByteBuffer bytes) {
    var copy = new byte[bytes.remaining()];
    bytes.get(copy);
    return copy;
  }

  private static ByteBuffer buffer(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
