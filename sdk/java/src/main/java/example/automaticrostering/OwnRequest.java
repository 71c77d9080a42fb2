package example.automaticrostering;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.SubmissionPublisher;

/** A program's own request, which gets the token: {@link RosteringClient#send}. */
final class OwnRequest<T> implements BodyHandler<Object> {
  /** Bounds what is kept of a 401 until there is another token. */
  private static final int MAX_REFUSAL = 64 << 10;

  private record Refusal(ResponseInfo info, byte[] body) {}

  private final Shared shared;
  private final Call call;
  private final URI base;
  private final HttpRequest request;
  private final BodyHandler<T> handler;
  private final boolean isRepeatable;
  private final List<String> sent = new ArrayList<>();
  private HttpResponse<Object> response;

  OwnRequest(Shared shared, Call call, URI base, HttpRequest request, BodyHandler<T> handler) {
    this.shared = shared;
    this.call = call;
    this.base = base;
    this.request = request;
    this.handler = handler;
    isRepeatable = Http.isRepeatable(request.bodyPublisher().orElse(BodyPublishers.noBody()));
  }

  @SuppressWarnings("unchecked") // a response other than a refusal has the body of the handler
  HttpResponse<T> make() throws IOException, InterruptedException {
    if (request.headers().firstValue("Authorization").isPresent()
        || !origin(request.uri()).equals(origin(base))) {
      return send(copy(), handler);
    }
    shared.send(call, isRepeatable, sent, this::send);
    return response.body() instanceof Refusal last
        ? withBody(last)
        : (HttpResponse<T>) (Object) response;
  }

  private static String origin(URI uri) {
    var scheme = uri.getScheme().toLowerCase(Locale.ROOT);
    var port = uri.getPort() >= 0 ? uri.getPort() : scheme.equals("https") ? 443 : 80;
    return scheme + "://" + uri.getHost().toLowerCase(Locale.ROOT) + ":" + port;
  }

  private HttpRequest.Builder copy() {
    var copy = HttpRequest.newBuilder(request, (name, value) -> true);
    return shared.http.forProxy(copy.uri(Request.withoutDot(request.uri())));
  }

  private int send(Token token) throws IOException, InterruptedException {
    response = send(copy().setHeader("Authorization", token.header()), this);
    return response.statusCode();
  }

  private <B> HttpResponse<B> send(HttpRequest.Builder builder, BodyHandler<B> reads)
      throws IOException, InterruptedException {
    var hooks = new Hooks();
    request.bodyPublisher().ifPresent(own -> builder.method(request.method(), hooks.body(own)));
    try {
      return shared.http.client.send(builder.build(), hooks.handler(reads));
    } catch (IOException | RuntimeException e) {
      hooks.rethrow();
      if (reads == handler) { // the request has no token of the client
        throw e;
      }
      throw Http.Failure.shown(e) instanceof IOException shown ? shown : new IOException(e);
    }
  }

  /**
   * The caller's handler, which may write a file, sees a 401 only if the request is not sent again.
   * Until that is known, the body is kept, and not left in the connection.
   */
  @Override
  @SuppressWarnings("unchecked")
  public BodySubscriber<Object> apply(ResponseInfo info) {
    return info.statusCode() == 401 && isRepeatable && sent.size() < Shared.MOST_SENDS
        ? BodySubscribers.mapping(new Http.Body(MAX_REFUSAL), body -> new Refusal(info, body))
        : (BodySubscriber<Object>) handler.apply(info);
  }

  /** Returns the response with the body that the caller's handler reads. */
  @SuppressWarnings("unchecked")
  private HttpResponse<T> withBody(Refusal last) throws IOException, InterruptedException {
    var subscriber = handler.apply(last.info);
    try (var publisher = new SubmissionPublisher<List<ByteBuffer>>(Runnable::run, 1)) {
      publisher.subscribe(subscriber);
      publisher.submit(List.of(ByteBuffer.wrap(last.body)));
    }
    T body;
    try {
      body = subscriber.getBody().toCompletableFuture().get();
    } catch (ExecutionException e) {
      throw Hooks.thrown(e.getCause());
    }
    // A proxy, since later Javas add methods.
    InvocationHandler methods =
        (proxy, method, arguments) ->
            method.getName().equals("body") ? body : method.invoke(response, arguments);
    var types = new Class<?>[] {HttpResponse.class};
    return (HttpResponse<T>)
        Proxy.newProxyInstance(HttpResponse.class.getClassLoader(), types, methods);
  }
}
