package example.automaticrostering;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Sends the requests of steps. */
final class Http {
  /**
   * Bodies of publishers that need not take a second subscriber. The JDK tells them by no method.
   */
  private static final Set<Class<?>> ONCE =
      Set.of(
          BodyPublishers.fromPublisher(BodyPublishers.noBody()).getClass(),
          BodyPublishers.concat(BodyPublishers.noBody(), BodyPublishers.noBody()).getClass());

  private final HttpClient client;
  private final int maxAnswerBytes;

  Http(HttpClient client, int maxAnswerBytes) {
    this.client = client;
    this.maxAnswerBytes = maxAnswerBytes;
  }

  /** Tells whether a body can be sent again after a 401. */
  static boolean isRepeatable(BodyPublisher body) {
    return !ONCE.contains(body.getClass());
  }

  /** Sends a request. Canceling the future ends it. */
  CompletableFuture<HttpResponse<byte[]>> send(Step step, BodyPublisher body) {
    var r = step.request();
    try {
      var request = HttpRequest.newBuilder(URI.create(r.url())).method(r.method(), body);
      r.headers().forEach(request::setHeader);
      if (!step.isForToken()) {
        return client.sendAsync(request.build(), info -> new Body(maxAnswerBytes, false));
      }
      var sent = client.sendAsync(request.build(), info -> new Body(step.limit(), true));
      var answer = sent.copy().orTimeout(step.timeout(), TimeUnit.SECONDS);
      answer.whenComplete((response, e) -> sent.cancel(true)); // frees the connection
      return answer;
    } catch (IllegalArgumentException e) { // a host name that java.net.URI cannot read
      return CompletableFuture.failedFuture(e);
    }
  }

  /** The JDK's own exceptions often say nothing; their causes do. */
  static String reason(Throwable thrown) {
    return Stream.iterate(thrown, Objects::nonNull, Throwable::getCause)
        .filter(t -> !(t instanceof CompletionException))
        .map(t -> t instanceof TimeoutException ? "timed out" : t.toString())
        .distinct()
        .collect(Collectors.joining(", caused by "));
  }

  /** The body of an answer up to a limit. What is beyond it is cut off, or an error. */
  private static final class Body implements BodySubscriber<byte[]> {
    private final BodySubscriber<byte[]> whole = BodySubscribers.ofByteArray();
    private final boolean isCut;
    private Subscription subscription;
    private int left;

    Body(int limit, boolean isCut) {
      left = limit;
      this.isCut = isCut;
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
            whole.onError(new IOException("the answer is longer than the limit"));
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
