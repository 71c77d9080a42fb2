package example.automaticrostering;

import static example.automaticrostering.RosteringException.notNull;

import java.lang.System.Logger.Level;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/** Builds a client; each method changes the builder and returns it. */
public final class RosteringClientBuilder {
  /** A timeout of three centuries. */
  static final long NEVER = Long.MAX_VALUE;

  final Map<String, String> config;
  byte[] wasm; // null: the embedded plugin
  private long timeout = nanos(Duration.ofSeconds(30));
  HttpClient httpClient; // null: the shared one
  String proxyAuthorization; // or null
  int maxBody = 64 << 20;
  Store store;
  InstantSource clock = InstantSource.system();
  BiConsumer<Level, String> logger = Log::system;
  final TreeMap<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

  RosteringClientBuilder(RosteringConfig config) {
    this.config = notNull(config, "the config").keys();
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
   * gets lines after a call or a token request, and so may call the client.
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
}
