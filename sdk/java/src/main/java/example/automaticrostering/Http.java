package example.automaticrostering;

import example.automaticrostering.RosteringException.Reason;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.ProtocolException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow.Subscription;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;

/** Sends requests. */
final class Http {
  /**
   * With HTTP/2, the JDK sends all requests through one connection, also the next ones if that has
   * fallen silent, and fails those that exceed the streams which the server permits.
   */
  static final HttpClient.Version VERSION = HttpClient.Version.HTTP_1_1;

  static final String USER_AGENT = "automatic-rostering/" + RosteringClient.VERSION + " (java)";

  /** No response: the message is for the plugin, which redacts it, the cause for callers. */
  static final class Failure extends Exception {
    private static final long serialVersionUID = 1;

    /** The JDK's exceptions of each reason, of which the first counts that a failure has. */
    private static final Map<Reason, List<Class<?>>> TYPES =
        new EnumMap<>(
            Map.of(
                Reason.TIMEOUT, List.of(HttpTimeoutException.class, TimeoutException.class),
                Reason.NAME_RESOLUTION,
                    List.of(UnknownHostException.class, UnresolvedAddressException.class),
                Reason.CONNECTION, List.of(SocketException.class, ClosedChannelException.class),
                Reason.TLS_CERTIFICATE, List.of(CertificateException.class),
                Reason.TLS, List.of(SSLException.class),
                Reason.PROTOCOL, List.of(ProtocolException.class, EOFException.class),
                Reason.CANCELED, List.of(CancellationException.class)));

    private final Reason reason;

    Failure(Throwable thrown) {
      super(reason(thrown, Failure::text), shown(thrown));
      reason =
          chain(thrown).anyMatch(Failure::isOfProxy)
              ? Reason.PROXY
              : TYPES.keySet().stream()
                  .filter(r -> chain(thrown).anyMatch(t -> isOf(t, TYPES.get(r))))
                  .findFirst()
                  .orElse(Reason.OTHER);
    }

    /** Returns the fields of the plugin's input. */
    Map<String, ?> fields() {
      return Map.of("failed", getMessage(), "reason", reason.toString());
    }

    /** The JDK's parsers quote what the server sent, which may contain the request. */
    private static String text(Throwable t) {
      if (isOfProxy(t)) {
        return "the proxy refused the connection";
      }
      var clean = List.of(SSLException.class, GeneralSecurityException.class);
      var isClean = isNetwork(t) || isOf(t, clean);
      return isClean ? t.toString() : t.getClass().getName();
    }

    /** Returns the failure if it is the JDK's and of the network. Others may quote the request. */
    static Throwable shown(Throwable thrown) {
      return chain(thrown).allMatch(t -> isNetwork(t) && t.getSuppressed().length == 0)
          ? thrown
          : new IOException("no response: " + reason(thrown, t -> t.getClass().getName()));
    }

    /** The JDK has no type for this: what makes a tunnel through a proxy throws an IOException. */
    private static boolean isOfProxy(Throwable t) {
      return t instanceof PasswordWanted
          || t.getClass() == IOException.class
              && Stream.of(t.getStackTrace())
                  .anyMatch(frame -> frame.getClassName().endsWith("PlainTunnelingConnection"));
    }

    private static boolean isNetwork(Throwable t) {
      var all = List.of(Reason.TIMEOUT, Reason.NAME_RESOLUTION, Reason.CONNECTION);
      return all.stream().anyMatch(r -> isOf(t, TYPES.get(r)))
          || isOf(t, List.of(EOFException.class));
    }

    private static boolean isOf(Throwable t, List<? extends Class<?>> types) {
      return String.valueOf(t.getClass().getModule().getName()).startsWith("java.")
          && types.stream().anyMatch(type -> type.isInstance(t));
    }
  }

  /** A proxy wants a password. */
  private static final class PasswordWanted extends IOException {
    private static final long serialVersionUID = 1;
  }

  /** One byte more than an error shows. */
  static final int MAX_ERROR_BODY = (4 << 10) + 1;

  /** Publishers that need not accept a second subscriber. The JDK has no method for that. */
  private static final Set<Class<?>> ONCE =
      Set.of(
          BodyPublishers.fromPublisher(BodyPublishers.noBody()).getClass(),
          BodyPublishers.concat(BodyPublishers.noBody(), BodyPublishers.noBody()).getClass());

  /** What clients without their own share, from the first that opens to the last that closes. */
  private static final class Shared {
    private static int users;
    private static HttpClient client;
    private static ThreadPoolExecutor threads; // the JDK's own would stay for a minute

    static synchronized HttpClient take() {
      if (client == null) {
        threads = Threads.cached("rostering-http");
        client = HttpClient.newBuilder().version(VERSION).executor(threads).build();
      }
      users++;
      return client;
    }

    static synchronized void release() {
      if (--users == 0) {
        try {
          HttpClient.class.getMethod("shutdownNow").invoke(client);
        } catch (ReflectiveOperationException e) { // before Java 21 it ends as garbage
        }
        // It takes tasks, but keeps no thread: a body may still be read, and must not wait forever.
        threads.setKeepAliveTime(0, TimeUnit.SECONDS);
        client = null;
        threads = null;
      }
    }
  }

  final HttpClient client;
  private final boolean isShared;
  private final String proxyAuthorization; // or null
  private final int maxBody;

  /** Uses the client of the options, or else the shared one, until it is freed. */
  Http(RosteringClientBuilder options) {
    isShared = options.httpClient == null;
    client = isShared ? Shared.take() : options.httpClient;
    proxyAuthorization = options.proxyAuthorization;
    maxBody = options.maxBody;
  }

  /** Is called once. */
  void free() {
    if (isShared) {
      Shared.release();
    }
  }

  /** Prepares a request. The JDK sends the header to a proxy alone. */
  HttpRequest.Builder forProxy(HttpRequest.Builder request) {
    return proxyAuthorization == null
        ? request
        : request.setHeader("Proxy-Authorization", proxyAuthorization);
  }

  /**
   * Refuses a client that follows redirects, which would forward the token. One with an
   * authenticator answers a 401 itself, so that the identity provider gets the proxy's password,
   * and before Java 24 it drops the token (JDK-8326949).
   */
  static HttpClient suitable(HttpClient client) {
    if (RosteringException.notNull(client, "the HTTP client").followRedirects()
        != HttpClient.Redirect.NEVER) {
      throw new IllegalArgumentException(
          "the HTTP client must not follow redirects, which forward the token to other hosts:"
              + " set followRedirects(Redirect.NEVER)");
    }
    if (client.authenticator().isPresent()) {
      throw new IllegalArgumentException(
          "the HTTP client must have no authenticator, which any server can ask for credentials:"
              + " for a proxy, use proxyCredentials");
    }
    return client;
  }

  /** Sends a request to the service, in this thread. */
  Response send(HttpRequest request) throws Failure, InterruptedException {
    // Of a body that is too long, one byte more is read.
    var most = Math.max(maxBody, maxBody + 1);
    Response response;
    try {
      response =
          received(
              client.send(
                  request, info -> new Body(isSuccess(info.statusCode()) ? most : MAX_ERROR_BODY)));
    } catch (InterruptedException e) {
      throw e;
    } catch (Throwable e) {
      throw new Failure(e);
    }
    if (isSuccess(response.status()) && response.body().length > maxBody) {
      throw RosteringException.ofNetwork(
          Reason.PROTOCOL,
          "the response is larger than maxBody (%d bytes): raise it, or request less"
              .formatted(maxBody),
          false);
    }
    return response;
  }

  /** The JDK has no body for the 407 of a proxy, which refused to connect to the server. */
  private static Response received(HttpResponse<byte[]> response) throws PasswordWanted {
    if (response.body() == null) {
      throw new PasswordWanted();
    }
    return new Response(response.statusCode(), response.headers(), response.body());
  }

  /** Reports whether a body can be sent again after a 401. */
  static boolean isRepeatable(BodyPublisher body) {
    return !ONCE.contains(body.getClass());
  }

  /** Reports whether a response with this status is a result, not an error. */
  static boolean isSuccess(int status) {
    return status / 100 == 2 || status == 304;
  }

  /** Returns the result of a token request as resume takes it, within the step's timeout. */
  Map<String, ?> requestToken(Step step) throws Failure, InterruptedException {
    var request = forProxy(Request.of(step.fields().getObject("request")).forToken()).build();
    var limit = step.fields().getInt("limit");
    try {
      var sent = client.sendAsync(request, info -> new Body(limit));
      try {
        return received(sent.get(step.fields().getLong("timeout"), TimeUnit.SECONDS)).fields();
      } finally {
        sent.cancel(true); // frees the connection
      }
    } catch (InterruptedException e) {
      throw e;
    } catch (Throwable e) {
      throw new Failure(e instanceof ExecutionException ? e.getCause() : e);
    }
  }

  /**
   * Describes a failure with its causes, which often say more than the JDK's own exceptions. A
   * cause whose message another one includes adds nothing.
   */
  static String reason(Throwable thrown, Function<Throwable, String> text) {
    return chain(thrown)
        .map(t -> t instanceof TimeoutException ? "timed out" : text.apply(t))
        .reduce(
            (all, next) ->
                all.contains(next.substring(next.indexOf(':') + 1).trim())
                    ? all
                    : all + ", caused by " + next)
        .orElseThrow();
  }

  /** Returns a failure with its causes, which may form a circle, or throw. */
  private static Stream<Throwable> chain(Throwable thrown) {
    return Stream.iterate(thrown, Objects::nonNull, Http::cause).limit(10);
  }

  private static Throwable cause(Throwable t) {
    try {
      return t.getCause();
    } catch (Throwable again) {
      return null;
    }
  }

  /** Returns the text of a program's own exception, which may have none, or throw. */
  static String text(Throwable t) {
    try {
      return Objects.requireNonNull(t.toString());
    } catch (Throwable again) {
      return t.getClass().getName();
    }
  }

  /** Reads the body of a response up to a limit, into one array: chunks may be of one byte. */
  static final class Body implements BodySubscriber<byte[]> {
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private final CompletableFuture<byte[]> whole = new CompletableFuture<>();
    private final int limit;
    private Subscription subscription;

    Body(int limit) {
      this.limit = limit;
    }

    @Override
    public CompletionStage<byte[]> getBody() {
      return whole;
    }

    @Override
    public void onSubscribe(Subscription s) {
      subscription = s;
      s.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
      for (var buffer : buffers) {
        var part = new byte[Math.min(buffer.remaining(), limit - received.size())];
        buffer.get(part);
        received.writeBytes(part);
      }
      if (received.size() == limit) {
        subscription.cancel();
        onComplete();
      }
    }

    @Override
    public void onError(Throwable thrown) {
      whole.completeExceptionally(thrown);
    }

    @Override
    public void onComplete() {
      whole.complete(received.toByteArray());
    }
  }
}
