package example.automaticrostering;

import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.Flow.Subscriber;
import java.util.stream.Stream;

/** A body in parts that, unlike the JDK's own concatenation, knows if it can be sent again. */
record Parts(BodyPublisher whole, boolean isRepeatable) implements BodyPublisher {
  /** Publishers that need not accept a second subscriber. The JDK has no method for that. */
  private static final Set<Class<?>> ONCE =
      Set.of(
          BodyPublishers.fromPublisher(BodyPublishers.noBody()).getClass(),
          BodyPublishers.concat(BodyPublishers.noBody(), BodyPublishers.noBody()).getClass());

  static Parts of(BodyPublisher... parts) {
    return new Parts(BodyPublishers.concat(parts), Stream.of(parts).allMatch(Parts::isRepeatable));
  }

  /** Reports whether a body can be sent again after a 401. */
  static boolean isRepeatable(BodyPublisher body) {
    return body instanceof Parts parts ? parts.isRepeatable : !ONCE.contains(body.getClass());
  }

  @Override
  public long contentLength() {
    return whole.contentLength();
  }

  @Override
  public void subscribe(Subscriber<? super ByteBuffer> subscriber) {
    whole.subscribe(subscriber);
  }
}
