package example.automaticrostering;

import java.io.IOException;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/** Adds the token to the requests of another HTTP client: {@link RosteringClient#authorize}. */
final class AuthorizedHttpClient extends HttpClient {
  private final RosteringClient rostering;
  private final String origin;
  private final HttpClient http;

  AuthorizedHttpClient(RosteringClient rostering, URI base, HttpClient http) {
    this.rostering = rostering;
    this.origin = origin(base);
    this.http = Http.withoutRedirects(http);
  }

  @Override
  public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
      throws IOException, InterruptedException {
    if (isUnchanged(request)) {
      return http.send(request, handler);
    }
    var token = rostering.getToken();
    var first = new FirstResponse<>(rostering, request, token, handler);
    try {
      return http.send(authorized(request, token), first);
    } catch (IOException e) {
      if (first.renewed() == null) {
        throw e;
      }
    }
    return http.send(authorized(request, first.renewed()), handler);
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
    var result = new CompletableFuture<HttpResponse<T>>();
    endWith(result, rostering.getTokenAsync(TokenOptions.cached()))
        .thenCompose(
            token -> {
              var first = new FirstResponse<>(rostering, request, token, handler);
              return endWith(result, http.sendAsync(authorized(request, token), first, push))
                  .exceptionallyCompose(
                      e ->
                          first.renewed() == null
                              ? CompletableFuture.failedFuture(e)
                              : endWith(
                                  result,
                                  http.sendAsync(
                                      authorized(request, first.renewed()), handler, push)));
            })
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

  /** Cancels what was started for a result when its caller cancels that. */
  private static <T> CompletableFuture<T> endWith(
      CompletableFuture<?> result, CompletableFuture<T> started) {
    result.whenComplete((r, e) -> started.cancel(true));
    return started;
  }

  private boolean isUnchanged(HttpRequest request) {
    return !origin(request.uri()).equals(origin)
        || request.headers().firstValue("Authorization").isPresent();
  }

  private static HttpRequest authorized(HttpRequest request, Token token) {
    return HttpRequest.newBuilder(request, (name, value) -> true)
        .setHeader("Authorization", "Bearer " + token.accessToken())
        .build();
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
