package rostering;

import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;

/** Reads the whole body of an answer, up to a limit. */
final class BoundedBody implements BodySubscriber<byte[]> {
  private final BodySubscriber<byte[]> whole = BodySubscribers.ofByteArray();
  private final long limit;
  private final boolean cut;
  private Subscription subscription;
  private long left;

  private BoundedBody(long limit, boolean cut) {
    this.limit = limit;
    this.cut = cut;
    left = limit;
  }

  /** A longer body is an IOException. */
  static BoundedBody ofAtMost(long limit) {
    return new BoundedBody(limit, false);
  }

  /** Of a longer body, the rest is left out. */
  static BoundedBody cutAt(long limit) {
    return new BoundedBody(limit, true);
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
      if (left < 0) {
        return; // canceled
      }
      if (buffer.remaining() <= left) {
        left -= buffer.remaining();
        whole.onNext(List.of(buffer));
        continue;
      }
      subscription.cancel();
      if (cut) {
        whole.onNext(List.of(buffer.slice(buffer.position(), (int) left)));
        whole.onComplete();
      } else {
        whole.onError(new IOException("the answer has more than %d bytes".formatted(limit)));
      }
      left = -1;
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
