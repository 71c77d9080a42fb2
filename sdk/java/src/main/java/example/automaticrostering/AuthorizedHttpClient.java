package example.automaticrostering;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.net.http.HttpResponse.ResponseInfo;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow.Publisher;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/** Adds the token to the requests of another HTTP client: {@link RosteringClient#authorize}. */
final class AuthorizedHttpClient extends HttpClient {
  private final Client client;
  private final String origin;
  private final HttpClient http;

  AuthorizedHttpClient(Client client, URI base, HttpClient http) {
    this.client = client;
    this.origin = origin(base);
    this.http = Http.suitable(http);
  }

  @Override
  public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
      throws IOException, InterruptedException {
    return isUnchanged(request)
        ? http.send(request, handler)
        : new Own<>(request, handler, http::send).send();
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler) {
    return sendAsync(request, handler, null);
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler, PushPromiseHandler<T> push) {
    if (isUnchanged(request)) {
      return http.sendAsync(request, handler, push);
    }
    @SuppressWarnings("unchecked") // the types of bodies are gone at run time
    var pushed = (PushPromiseHandler<Object>) push;
    Sender sender = (r, h) -> await(http.sendAsync(r, h, pushed));
    return new Call(client.driver(), RosteringClientBuilder.NEVER)
        .start(call -> new Own<>(request, handler, sender).send());
  }

  private static <T> T await(CompletableFuture<T> sent) throws IOException, InterruptedException {
    try {
      return sent.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException failure ? failure : new IOException(e.getCause());
    } finally {
      sent.cancel(true);
    }
  }

  private interface Sender {
    HttpResponse<Object> send(HttpRequest request, BodyHandler<Object> handler)
        throws IOException, InterruptedException;
  }

  /**
   * A request with the token. The caller's handler sees a 401 only if the request is not sent
   * again, because a handler may write a file.
   */
  private final class Own<T> implements BodyHandler<Object>, Driver.Sending<IOException> {
    private final HttpRequest request;
    private final BodyHandler<T> handler;
    private final Sender sender;
    private ResponseInfo info; // of the last response
    private HttpResponse<Object> response;

    Own(HttpRequest request, BodyHandler<T> handler, Sender sender) {
      this.request = request;
      this.handler = handler;
      this.sender = sender;
    }

    @SuppressWarnings("unchecked") // a response other than a 401 has the body of the handler
    HttpResponse<T> send() throws IOException, InterruptedException {
      var body = request.bodyPublisher().orElse(BodyPublishers.noBody());
      client.driver().send(Parts.isRepeatable(body), new ArrayList<>(), this);
      return response.statusCode() == 401 ? withBody() : (HttpResponse<T>) (Object) response;
    }

    @Override
    public Token token(String refused) throws InterruptedException {
      return client.make(call -> client.driver().holder.token(refused));
    }

    @Override
    public int send(Token token) throws IOException, InterruptedException {
      if (response != null) {
        read(new Http.Body(Http.MAX_ERROR_BODY)); // which frees the connection
      }
      var authorized = HttpRequest.newBuilder(request, (name, value) -> true);
      authorized.setHeader("Authorization", token.header());
      try {
        response = sender.send(authorized.build(), this);
      } catch (IOException | RuntimeException e) {
        if (Http.clean(e) instanceof IOException clean) {
          throw clean;
        }
        throw e;
      }
      return response.statusCode();
    }

    /** Leaves the body of a 401 unread, which is then a publisher. */
    @Override
    @SuppressWarnings("unchecked")
    public BodySubscriber<Object> apply(ResponseInfo of) {
      info = of;
      return (BodySubscriber<Object>)
          (of.statusCode() == 401 ? BodySubscribers.ofPublisher() : handler.apply(of));
    }

    /** Returns the response with the body that the caller's handler reads. */
    @SuppressWarnings("unchecked")
    private HttpResponse<T> withBody() throws IOException, InterruptedException {
      var body = await(read(handler.apply(info)).toCompletableFuture());
      // A proxy, since later Javas add methods.
      InvocationHandler methods =
          (proxy, method, arguments) ->
              method.getName().equals("body") ? body : method.invoke(response, arguments);
      var types = new Class<?>[] {HttpResponse.class};
      return (HttpResponse<T>)
          Proxy.newProxyInstance(HttpResponse.class.getClassLoader(), types, methods);
    }

    @SuppressWarnings("unchecked")
    private <B> CompletionStage<B> read(BodySubscriber<B> subscriber) {
      ((Publisher<List<ByteBuffer>>) response.body()).subscribe(subscriber);
      return subscriber.getBody();
    }
  }

  private boolean isUnchanged(HttpRequest request) {
    return !origin(request.uri()).equals(origin)
        || request.headers().firstValue("Authorization").isPresent();
  }

  private static String origin(URI uri) {
    var scheme = uri.getScheme().toLowerCase(Locale.ROOT);
    var port = uri.getPort() >= 0 ? uri.getPort() : scheme.equals("https") ? 443 : 80;
    return scheme + "://" + uri.getHost().toLowerCase(Locale.ROOT) + ":" + port;
  }

  @Override
  public Optional<CookieHandler> cookieHandler() {
    return http.cookieHandler();
  }

  @Override
  public Optional<Duration> connectTimeout() {
    return http.connectTimeout();
  }

  @Override
  public Redirect followRedirects() {
    return http.followRedirects();
  }

  @Override
  public Optional<ProxySelector> proxy() {
    return http.proxy();
  }

  @Override
  public SSLContext sslContext() {
    return http.sslContext();
  }

  @Override
  public SSLParameters sslParameters() {
    return http.sslParameters();
  }

  @Override
  public Optional<Authenticator> authenticator() {
    return http.authenticator();
  }

  @Override
  public Version version() {
    return http.version();
  }

  @Override
  public Optional<Executor> executor() {
    return http.executor();
  }

  @Override
  public WebSocket.Builder newWebSocketBuilder() {
    return http.newWebSocketBuilder();
  }
}
