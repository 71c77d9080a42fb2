package example.automaticrostering;

import java.io.IOException;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import java.util.function.Consumer;

/**
 * Handles a response to a request with a token. The caller's handler sees a 401 only if the request
 * is not sent again, because a handler may write a file.
 */
record FinalResponse<T>(Loop<T> loop, BodyHandler<T> handler) implements BodyHandler<T> {
  @Override
  public BodySubscriber<T> apply(ResponseInfo info) {
    var next = loop.responded(info.statusCode());
    return info.statusCode() == 401
        ? new Held<>(next.handle((token, e) -> token == null ? handler.apply(info) : null))
        : handler.apply(info);
  }

  /** Withholds a response's body until it is known which subscriber gets it, if any. */
  private static final class Held<T> implements BodySubscriber<T> {
    private final CompletableFuture<BodySubscriber<T>> subscriber;
    private CompletableFuture<BodySubscriber<T>> last;

    Held(CompletableFuture<BodySubscriber<T>> subscriber) {
      this.subscriber =
          subscriber.thenCompose(
              found ->
                  found != null
                      ? CompletableFuture.completedFuture(found)
                      : CompletableFuture.failedFuture(new IOException("401: sent again")));
    }

    @Override
    public CompletionStage<T> getBody() {
      return subscriber.thenCompose(BodySubscriber::getBody);
    }

    @Override
    public void onSubscribe(Subscription subscription) {
      last =
          subscriber.whenComplete(
              (found, e) -> {
                if (e == null) {
                  found.onSubscribe(subscription);
                } else {
                  subscription.cancel();
                }
              });
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
      then(found -> found.onNext(buffers));
    }

    @Override
    public void onError(Throwable thrown) {
      then(found -> found.onError(thrown));
    }

    @Override
    public void onComplete() {
      then(BodySubscriber::onComplete);
    }

    private void then(Consumer<BodySubscriber<T>> signal) {
      last =
          last.thenApply(
              found -> {
                signal.accept(found);
                return found;
              });
    }
  }
}
