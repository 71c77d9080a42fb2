package rostering;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpResponse;
import java.util.LinkedHashSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Sends the requests of steps. */
final class Http {
  /** One byte more than the plugin reads of a token answer: it then says that it is too long. */
  private static final long MAX_TOKEN_ANSWER = (256 << 10) + 1;

  private final HttpClient client;
  private final long maxAnswerBytes;

  /** The client must not follow redirects; null is the JDK's. */
  Http(HttpClient client, long maxAnswerBytes) {
    // HTTP/1.1, because with version 2 the JDK asks plain http servers to upgrade.
    this.client =
        client != null
            ? client
            : HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    this.maxAnswerBytes = maxAnswerBytes;
  }

  /** Sends a request. Canceling the future ends it. */
  CompletableFuture<HttpResponse<byte[]>> send(Step step, BodyPublisher body) {
    var r = step.request();
    try {
      var request = HttpRequest.newBuilder(URI.create(r.url())).method(r.method(), body);
      r.headers().forEach(request::setHeader);
      return client.sendAsync(
          request.build(),
          info ->
              step.isForToken()
                  ? BoundedBody.cutAt(MAX_TOKEN_ANSWER)
                  : BoundedBody.ofAtMost(maxAnswerBytes));
    } catch (IllegalArgumentException e) { // a host name that java.net.URI cannot read
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Why a request got no answer: what a future adds to it is taken off. */
  static Throwable cause(Throwable thrown) {
    return thrown instanceof CompletionException ? thrown.getCause() : thrown;
  }

  /** The JDK's own exceptions often say nothing; their causes do. */
  static String reason(Throwable thrown) {
    var reasons = new LinkedHashSet<String>();
    for (var t = cause(thrown); t != null; t = t.getCause()) {
      reasons.add(t.toString());
    }
    return String.join(", caused by ", reasons);
  }
}
