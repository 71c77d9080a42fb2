package rostering;

import java.net.http.HttpRequest.BodyPublisher;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow.Subscriber;
import java.util.concurrent.Flow.Subscription;

/** The caller's body, which notices whether it was the body that failed. */
final class RequestBody implements BodyPublisher {
  private final BodyPublisher source;
  private volatile boolean failed;

  RequestBody(BodyPublisher source) {
    this.source = source;
  }

  boolean failed() {
    return failed;
  }

  @Override
  public long contentLength() {
    return source.contentLength();
  }

  @Override
  public void subscribe(Subscriber<? super ByteBuffer> subscriber) {
    source.subscribe(
        new Subscriber<>() {
          @Override
          public void onSubscribe(Subscription s) {
            subscriber.onSubscribe(s);
          }

          @Override
          public void onNext(ByteBuffer buffer) {
            subscriber.onNext(buffer);
          }

          @Override
          public void onError(Throwable thrown) {
            failed = true;
            subscriber.onError(thrown);
          }

          @Override
          public void onComplete() {
            subscriber.onComplete();
          }
        });
  }
}
