package example.automaticrostering;

import java.io.IOException;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
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
    this.http = Http.withoutRedirects(http);
  }

  @Override
  public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
      throws IOException, InterruptedException {
    if (isUnchanged(request)) {
      return http.send(request, handler);
    }
    var thread = new CallerThread();
    var own =
        new Own<T>(request, thread) {
          @Override
          CompletableFuture<HttpResponse<T>> send(HttpRequest authorized) {
            return CallerThread.run(
                () -> http.send(authorized, new FinalResponse<>(this, handler)));
          }
        };
    try {
      return thread.await(own.start());
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      throw Client.cause(e);
    }
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
    var own =
        new Own<T>(request, CallerThread.NONE) {
          @Override
          CompletableFuture<HttpResponse<T>> send(HttpRequest authorized) {
            var sent = http.sendAsync(authorized, new FinalResponse<>(this, handler), push);
            return endsWith(sent);
          }
        };
    return own.start();
  }

  /** A request with the token. Its caller leaves it by completing the result. */
  private abstract class Own<T> extends Loop<T> {
    private final HttpRequest request;
    private final CompletableFuture<HttpResponse<T>> result = new CompletableFuture<>();

    Own(HttpRequest request, Executor executor) {
      super(client.driver, request.bodyPublisher().orElse(BodyPublishers.noBody()), executor);
      this.request = request;
    }

    CompletableFuture<HttpResponse<T>> start() {
      run()
          .whenComplete(
              (response, e) -> {
                if (e == null) {
                  result.complete(response);
                } else {
                  result.completeExceptionally(Http.unwrapped(e));
                }
              });
      return result;
    }

    @Override
    CompletableFuture<Token> token(String refused) {
      return endsWith(client.token(() -> driver.holder.token(refused)));
    }

    @Override
    CompletableFuture<HttpResponse<T>> send(Token token) {
      return result.isDone()
          ? new CompletableFuture<>() // nobody waits for it
          : send(
              HttpRequest.newBuilder(request, (name, value) -> true)
                  .setHeader("Authorization", token.header())
                  .build());
    }

    abstract CompletableFuture<HttpResponse<T>> send(HttpRequest authorized);

    /** Cancels what was started if the caller cancels the result. */
    <S> CompletableFuture<S> endsWith(CompletableFuture<S> started) {
      result.whenComplete((r, e) -> started.cancel(true));
      return started;
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
