package example.automaticrostering;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.grack.nanojson.JsonObject;
import example.automaticrostering.RosteringException.Code;
import example.automaticrostering.RosteringException.Reason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import run.endive.runtime.ByteArrayMemory;
import run.endive.runtime.Instance;
import run.endive.runtime.InterpreterMachine;
import run.endive.runtime.WasmInterruptedException;
import run.endive.wasm.Parser;
import run.endive.wasm.WasmModule;
import run.endive.wasm.types.*;

/**
 * The plugin, which imports nothing: a call is a function of a state, which is kept here, and an
 * input. See docs/contract.md, Without Extism. Its monitor guards the state: who needs that
 * unchanged after a call, holds it.
 */
final class Plugin {
  static final byte[] NOTHING = {};

  /** Bounds inputs, in bytes. Valid ones are smaller. */
  private static final int MOST_INPUT = 4 << 20;

  private static final int MAX_PAGES = 256; // of 64 KiB

  /** How often the plugin ran; for tests. */
  final LongAdder runs = new LongAdder();

  private final Log log;
  private Instance instance; // null once it is freed

  /** The plugin's own value, with the config and the token. An earlier one undoes what followed. */
  private byte[] state = {};

  /** The last numbers of the plugin, after it is freed. */
  private JsonObject status = new JsonObject();

  /** Opens the plugin, and checks the config and the default headers with it. */
  Plugin(RosteringClientBuilder options, Log log) {
    this.log = log;
    int contract;
    try {
      instance = instance(options.wasm);
      contract = Json.read(transition("version", NOTHING, null)).getInt("contract");
    } catch (RuntimeException e) {
      throw wrong("the file is no rostering-core.wasm (" + e.getMessage() + ")", e);
    }
    if (contract != RosteringClient.CONTRACT) {
      throw wrong("the plugin has contract " + contract, null);
    }
    configure(options.config);
    if (!options.headers.isEmpty() && options.config.containsKey("base_url")) {
      var ids = Map.of("customer_id", "any", "user_id", "any", "headers", options.headers);
      call("request", Json.write(ids));
    }
    // Loads the classes of calls, which takes so long that the first calls could time out.
    Step.ofJson(Json.write(Map.of("step", "done")));
    RosteringException.ofNetwork(Reason.OTHER, "", true);
  }

  private static IllegalArgumentException wrong(String what, Exception cause) {
    return new IllegalArgumentException(
        "%s; this library needs contract %d: use the library from the plugin's release"
            .formatted(what, RosteringClient.CONTRACT),
        cause);
  }

  private static Instance instance(byte[] wasm) {
    var builder =
        wasm == null
            ? Instance.builder(Embedded.MODULE).withMachineFactory(PluginMachine::new)
            : Instance.builder(Parser.parse(wasm)).withMachineFactory(InterpreterMachine::new);
    return builder
        .withMemoryFactory(m -> new ByteArrayMemory(new MemoryLimits(m.initialPages(), MAX_PAGES)))
        .build();
  }

  byte[] call(String export, byte[] input) {
    return call(export, input, null);
  }

  /** Calls an export. A network_error then has the failure of the request. */
  synchronized byte[] call(String export, byte[] input, Http.Failure failure) {
    if (instance == null) {
      throw Shared.closed();
    }
    if (input.length > MOST_INPUT) {
      throw new RosteringException(
          Code.INVALID_INPUT, "the arguments are too long: shorten them", false, Map.of());
    }
    runs.increment();
    var isInterrupted = Thread.interrupted();
    try {
      while (true) {
        try {
          return transition(export, input, failure);
        } catch (WasmInterruptedException e) { // is for the call: the state is as before
          isInterrupted |= Thread.interrupted();
        }
      }
    } catch (RosteringException e) {
      throw e;
    } catch (Throwable e) { // the runtime throws StackOverflowError, too
      throw RosteringException.ofBug(e.toString(), e);
    } finally {
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** The memory checks all bounds: what exceeds them throws, and leaves the state from before. */
  private byte[] transition(String export, byte[] input, Http.Failure failure) {
    var memory = instance.exports().memory("memory");
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
      throw RosteringException.ofPlugin(parts[1], failure);
    }
    return parts[1];
  }

  private int run(String export, long... arguments) {
    return (int) instance.export(export).apply(arguments)[0];
  }

  /** Sets keys of the config, or none, if the config would be invalid. */
  synchronized void configure(Map<String, String> keys) {
    var before = state;
    try {
      call("configure", Json.write(keys));
      call("check", NOTHING);
    } catch (RuntimeException e) {
      state = before;
      throw e;
    }
  }

  /** Returns the plugin's part of the status. */
  synchronized JsonObject status(long now) {
    return instance == null ? status : Json.read(call("status", Json.write(Map.of("now", now))));
  }

  /** Frees the memory, but keeps the last status. What the clock throws is nobody's. */
  synchronized void free(LongSupplier now) {
    try {
      status = status(now.getAsLong());
    } catch (Throwable e) { // the status stays empty
    } finally {
      instance = null;
      state = NOTHING;
    }
  }

  /** The plugin in this library. All clients share it, and the process keeps it. */
  private static final class Embedded {
    /** The module without its code, as src/build/CompilePlugin.java made it. */
    static final WasmModule MODULE = read();

    /**
     * Does not validate it again, and makes no digest, as {@code Parser.parse} would: both take a
     * tenth of a second of a first call.
     */
    private static WasmModule read() {
      var module = WasmModule.builder().withValidation(false);
      try (var file = Plugin.class.getResourceAsStream("Plugin.meta")) {
        Parser.builder().build().parse(file, section -> add(module, section));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return module.build();
    }

    /** Adds a section, of those that the plugin has. */
    private static void add(WasmModule.Builder module, Section section) {
      switch (section.sectionId()) {
        case SectionId.TYPE -> module.setTypeSection((TypeSection) section);
        case SectionId.FUNCTION -> module.setFunctionSection((FunctionSection) section);
        case SectionId.TABLE -> module.setTableSection((TableSection) section);
        case SectionId.MEMORY -> module.setMemorySection((MemorySection) section);
        case SectionId.GLOBAL -> module.setGlobalSection((GlobalSection) section);
        case SectionId.EXPORT -> module.setExportSection((ExportSection) section);
        case SectionId.ELEMENT -> module.setElementSection((ElementSection) section);
        case SectionId.CODE -> module.setCodeSection((CodeSection) section);
        case SectionId.DATA_COUNT -> module.setDataCountSection((DataCountSection) section);
        case SectionId.DATA -> module.setDataSection((DataSection) section);
        default ->
            throw new IllegalStateException("the plugin has a section " + section.sectionId());
      }
    }
  }
}
