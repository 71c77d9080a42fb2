package example.automaticrostering;

import static example.automaticrostering.RosteringException.notNull;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import run.endive.runtime.InterpreterMachine;
import run.endive.wasm.Parser;
import run.endive.wasm.WasmModule;
import run.endive.wasm.types.*;

/** Builds a client; each method changes the builder and returns it. */
public final class RosteringClientBuilder {
  /** A timeout of three centuries. */
  static final long NEVER = Long.MAX_VALUE;

  final RosteringConfig config;
  private byte[] wasm;
  private long timeout = nanos(Duration.ofSeconds(30));
  HttpClient httpClient; // null: the shared one
  String proxyAuthorization; // or null
  int maxBody = 64 << 20;
  Store store;
  InstantSource clock = InstantSource.system();
  BiConsumer<Level, String> logger = Log::system;
  final TreeMap<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

  RosteringClientBuilder(RosteringConfig config) {
    this.config = notNull(config, "the config");
  }

  /**
   * Sets the client that sends the requests, for a proxy, TLS or tracing. It must not follow
   * redirects, which could forward the secret to another host, and have no authenticator: see
   * {@link #proxyCredentials}.
   */
  public RosteringClientBuilder httpClient(HttpClient client) {
    httpClient = Http.suitable(client);
    return this;
  }

  /**
   * Sets the credentials for a proxy, which no server gets. For https, the JDK sends them only with
   * {@code -Djdk.http.auth.tunneling.disabledSchemes=}.
   */
  public RosteringClientBuilder proxyCredentials(String user, String password) {
    var both = notNull(user, "the user") + ":" + notNull(password, "the password");
    if (user.contains(":") || both.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException(
          "a user has no colon, and neither user nor password a control character");
    }
    var bytes = both.getBytes(StandardCharsets.UTF_8);
    proxyAuthorization = "Basic " + Base64.getEncoder().encodeToString(bytes);
    return this;
  }

  /** Bounds each call with all its requests and waits (default: 30 s). */
  public RosteringClientBuilder timeout(Duration timeout) {
    this.timeout = nanos(timeout);
    return this;
  }

  /** Removes the bound of calls. */
  public RosteringClientBuilder noTimeout() {
    timeout = NEVER;
    return this;
  }

  /** Bounds the body of the service's responses (default: 64 MiB). */
  public RosteringClientBuilder maxBody(int bytes) {
    if (bytes <= 0) {
      throw new IllegalArgumentException("maxBody must be positive, not " + bytes);
    }
    maxBody = bytes;
    return this;
  }

  /** Sets a header of every call, such as {@code traceparent}, unless that has its own. */
  public RosteringClientBuilder header(String name, String value) {
    ServiceRequest.put(headers, name, value);
    return this;
  }

  /** Sets a store through which clients share one token. */
  public RosteringClientBuilder store(Store store) {
    this.store = notNull(store, "the store");
    return this;
  }

  /** Replaces the clock by which tokens expire, for tests. Timeouts and waits keep real time. */
  public RosteringClientBuilder clock(InstantSource clock) {
    this.clock = notNull(clock, "the clock");
    return this;
  }

  /**
   * Sets the log handler, such as {@code System.getLogger("mine")::log} (default: the {@code
   * System.Logger} named {@code example.automaticrostering}, which also gets what it throws). It
   * gets lines after a call or a step of a token request, and so may call the client.
   */
  public RosteringClientBuilder logger(BiConsumer<Level, String> logger) {
    this.logger = notNull(logger, "the logger");
    return this;
  }

  /** Sets another build of rostering-core.wasm. Unlike the library's, it is interpreted. */
  public RosteringClientBuilder plugin(byte[] wasm) {
    this.wasm = notNull(wasm, "the plugin").clone();
    return this;
  }

  /**
   * Opens the client, which the caller closes. It checks the whole config, and sends nothing.
   *
   * @throws RosteringException if the config is missing something, or is invalid
   */
  public RosteringClient open() {
    return new RosteringClient(new Shared(this), Map.of(), new TreeMap<>(headers), timeout, false);
  }

  PluginInstance instance(Log log) {
    return wasm == null
        ? new PluginInstance(Embedded.MODULE, PluginMachine::new, log)
        : new PluginInstance(Parser.parse(wasm), InterpreterMachine::new, log);
  }

  /** Converts a timeout to nanoseconds; more than three centuries means no timeout. */
  static long nanos(Duration timeout) {
    if (notNull(timeout, "timeout").isZero() || timeout.isNegative()) {
      throw new IllegalArgumentException("a timeout must be positive, not " + timeout);
    }
    try {
      return timeout.toNanos();
    } catch (ArithmeticException e) {
      return NEVER;
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
      try (var file = RosteringClientBuilder.class.getResourceAsStream("Plugin.meta")) {
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
