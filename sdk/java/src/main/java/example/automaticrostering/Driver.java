package example.automaticrostering;

import java.lang.System.Logger.Level;
import java.net.http.HttpHeaders;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** What the calls of a client and its views share. */
final class Driver {
  /** Bounds the requests that are kept. */
  private static final int MOST_REQUESTS = 256;

  /** The first other token may come from a store, and have been revoked, too. */
  private static final int MOST_SENDS = 3;

  final PluginThread plugin;
  final Http http;
  final StoreSteps store;
  final Log log;
  final Holder holder = new Holder(this);
  final Calls calls = new Calls();
  private final InstantSource clock;
  private final String secret;

  /** The plugin builds the same request for the same input. */
  private final Map<Map<String, ?>, Request> requests = new ConcurrentHashMap<>();

  /** Opens the plugin. The secret is for redaction. */
  Driver(RosteringClientBuilder options, String secret) {
    clock = options.clock;
    log = new Log(options.logger);
    this.secret = secret;
    this.plugin = new PluginThread(() -> options.host(log));
    http = new Http(options.httpClient, options.maxBody); // while the plugin opens
    store = options.store == null ? null : new StoreSteps(options.store, log);
    this.plugin.awaitOpen();
    calls.ended.thenRun(this::free);
  }

  private void free() {
    holder.replace();
    plugin.free();
  }

  /** Returns the time by which tokens expire. */
  long now() {
    return clock.instant().getEpochSecond();
  }

  /** Returns the plugin's request for an input. */
  Request request(Map<String, ?> input) throws InterruptedException {
    var kept = requests.get(input);
    if (kept != null) {
      return kept;
    }
    var built =
        plugin.run(() -> Request.of(Json.read(plugin.call("request", Json.write(input), null))));
    if (requests.size() >= MOST_REQUESTS) {
      requests.clear();
    }
    requests.put(input, built);
    return built;
  }

  /** Returns headers without the secret and tokens, as the plugin's errors are. */
  HttpHeaders redacted(HttpHeaders headers, List<String> tokens) {
    var secrets = Stream.concat(Stream.of(secret), tokens.stream());
    var forms = secrets.flatMap(s -> Json.encodings(s).stream()).toList();
    UnaryOperator<String> shown =
        text -> forms.stream().anyMatch(text::contains) ? "[redacted]" : text;
    var redacted = new HashMap<String, List<String>>();
    headers
        .map()
        .forEach((name, all) -> redacted.put(shown.apply(name), all.stream().map(shown).toList()));
    return HttpHeaders.of(redacted, (name, value) -> true);
  }

  /** What {@link #send} needs to know about a request. */
  interface Sending<E extends Exception> {
    /** Returns a token. The service refused the last one, unless that is null. */
    Token token(String refused) throws InterruptedException;

    /** Sends the request once, and returns the status of the response. */
    int send(Token token) throws E, InterruptedException;
  }

  /**
   * Sends a request, and again with another token after a 401. Returns why there is no other token
   * after the last response, or null.
   *
   * @param sent gets the tokens
   */
  <E extends Exception> RuntimeException send(
      boolean isRepeatable, List<String> sent, Sending<E> request) throws E, InterruptedException {
    for (var token = request.token(null); ; ) {
      sent.add(token.accessToken());
      if (request.send(token) != 401) {
        holder.accept(token.accessToken());
        return null;
      }
      holder.refuse(token.accessToken(), isRepeatable && sent.size() == 1);
      if (!isRepeatable) {
        return null;
      }
      try {
        token = request.token(token.accessToken());
      } catch (RuntimeException e) {
        return e;
      }
      if (sent.size() == MOST_SENDS) {
        return null;
      }
      log.add(
          Level.WARNING,
          "the service refused the token; the request is sent again with another one");
    }
  }
}
