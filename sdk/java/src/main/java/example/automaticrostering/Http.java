package example.automaticrostering;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Sends requests. */
final class Http {
  static final String USER_AGENT = "automatic-rostering/" + RosteringClient.VERSION + " (java)";

  /** A response that is larger than the limit. */
  static final class TooLarge extends IOException {
    private static final long serialVersionUID = 1;

    TooLarge(int limit) {
      super("the response is larger than maxBody (" + limit + " bytes): raise it, or request less");
    }
  }

  /** One byte more than an error shows. */
  private static final int MAX_ERROR_BODY = (4 << 10) + 1;

  /** Built when it is needed: that takes longer than the rest of a first call. */
  private static final class Shared {
    // HTTP/1.1, because with version 2 the JDK asks plain http servers to upgrade.
    static final HttpClient CLIENT =
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  }

  private final HttpClient client;
  private final int maxBody;

  /** Uses a client, or the one that all share if it is null. */
  Http(HttpClient client, int maxBody) {
    this.client = client == null ? Shared.CLIENT : client;
    this.maxBody = maxBody;
  }

  /** Refuses a client that follows redirects: it would forward the headers, and so the token. */
  static HttpClient withoutRedirects(HttpClient client) {
    if (client.followRedirects() != HttpClient.Redirect.NEVER) {
      throw new IllegalArgumentException(
          "the HTTP client must not follow redirects, which forward the token to other hosts:"
              + " set followRedirects(Redirect.NEVER)");
    }
    return client;
  }

  /** Sends a request to the service, in this thread. */
  HttpResponse<byte[]> send(HttpRequest request) throws IOException, InterruptedException {
    try {
      return client.send(request, this::bodyOf);
    } catch (IOException e) { // the client throws a copy
      throw e.getCause() instanceof TooLarge tooLarge ? tooLarge : e;
    }
  }

  /** Sends a request to the service. Canceling the future cancels it. */
  CompletableFuture<HttpResponse<byte[]>> sendAsync(HttpRequest request) {
    return client.sendAsync(request, this::bodyOf);
  }

  private Body bodyOf(ResponseInfo response) {
    return isSuccess(response.statusCode())
        ? new Body(maxBody, false)
        : new Body(MAX_ERROR_BODY, true);
  }

  /** Reports whether a response is a result; that of any other is an error, which has its body. */
  static boolean isSuccess(int status) {
    return status / 100 == 2 || status == 304;
  }

  /** Returns the result of a token request as resume takes it, within the step's timeout. */
  CompletableFuture<Map<String, ?>> requestToken(Step step) {
    var sent = client.sendAsync(step.request().forToken(), info -> new Body(step.limit(), true));
    var result = sent.<Map<String, ?>>thenApply(received -> Response.of(received).fields());
    result.orTimeout(step.timeout(), TimeUnit.SECONDS);
    result.whenComplete((r, e) -> sent.cancel(true)); // frees the connection
    return result;
  }

  static Throwable unwrapped(Throwable thrown) {
    return thrown instanceof CompletionException && thrown.getCause() != null
        ? unwrapped(thrown.getCause())
        : thrown;
  }

  /**
   * Describes a failure with its causes, which often say more than the JDK's own exceptions. A
   * cause whose message another one includes adds nothing.
   */
  static String reason(Throwable thrown) {
    var first = unwrapped(thrown);
    var reason = first instanceof TimeoutException ? "timed out" : first.toString();
    for (var t = first.getCause(); t != null; t = t.getCause()) {
      if (t.getMessage() == null || !reason.contains(t.getMessage())) {
        reason += ", caused by " + t;
      }
    }
    return reason;
  }

  /** Reads the body of a response up to a limit. What exceeds it is cut off, or an error. */
  private static final class Body implements BodySubscriber<byte[]> {
    private final BodySubscriber<byte[]> whole = BodySubscribers.ofByteArray();
    private final int limit;
    private final boolean isCut;
    private Subscription subscription;
    private int left;

    Body(int limit, boolean isCut) {
      this.limit = limit;
      this.isCut = isCut;
      left = limit;
    }

    @Override
    public CompletionStage<byte[]> getBody() {
      return whole.getBody();
    }

    @Override
    public void onSubscribe(Subscription s) {
      subscription = s;
      whole.onSubscribe(s);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
      for (var buffer : buffers) {
        var isTooLong = buffer.remaining() > left;
        buffer.limit(buffer.position() + Math.min(left, buffer.remaining()));
        left -= buffer.remaining();
        whole.onNext(List.of(buffer));
        if (isTooLong) {
          subscription.cancel();
          if (!isCut) {
            whole.onError(new TooLarge(limit));
          }
          whole.onComplete();
        }
      }
    }

    @Override
    public void onError(Throwable thrown) {
      whole.onError(thrown);
    }

    @Override
    public void onComplete() {
      whole.onComplete();
    }
  }
}
