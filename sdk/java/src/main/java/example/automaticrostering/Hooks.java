package example.automaticrostering;

import static example.automaticrostering.RosteringException.notNull;

import java.io.IOException;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Publisher;
import java.util.concurrent.Flow.Subscriber;
import java.util.concurrent.Flow.Subscription;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A program's own part of one request: its body, and its handler of the response. Their errors are
 * noted, because what the JDK throws after one looks like an error of the network.
 */
final class Hooks {
  private volatile Throwable error; // of the program, or null
  private volatile CompletionStage<?> result; // of its handler, or null
  private volatile boolean isCut; // whether the network ended the response

  /** Throws the program's error, if there is one. */
  void rethrow() throws IOException {
    if (error == null && result != null && !isCut) {
      result.whenComplete((body, e) -> error = e);
    }
    if (error != null) {
      throw thrown(error);
    }
  }

  /** Throws an error of the program, or returns a checked one as an IOException. */
  static IOException thrown(Throwable e) {
    if (e instanceof CompletionException && e.getCause() != null) {
      return thrown(e.getCause());
    }
    if (e instanceof RuntimeException unchecked) {
      throw unchecked;
    }
    if (e instanceof Error unchecked) {
      throw unchecked;
    }
    return e instanceof IOException checked ? checked : new IOException(e);
  }

  /** Returns the program's body, which the JDK sends only if it is not empty. */
  BodyPublisher body(BodyPublisher own) {
    var length = own.contentLength();
    Publisher<ByteBuffer> noting = to -> run(() -> own.subscribe(new Relay<>(to, e -> error = e)));
    return length == 0
        ? own
        : length < 0
            ? BodyPublishers.fromPublisher(noting)
            : BodyPublishers.fromPublisher(noting, length);
  }

  /** Returns the program's handler. */
  <T> BodyHandler<T> handler(BodyHandler<T> own) {
    return info -> get(() -> new Receiver<>(notNull(own.apply(info), "the BodySubscriber")));
  }

  private <T> T get(Supplier<T> hook) {
    try {
      return hook.get();
    } catch (Throwable e) {
      error = e;
      throw e;
    }
  }

  private void run(Runnable hook) {
    get(
        () -> {
          hook.run();
          return null;
        });
  }

  /** Passes on what it gets, and notes what the receiver throws. */
  private class Relay<T> implements Subscriber<T> {
    private final Subscriber<? super T> to;
    private final Consumer<Throwable> atError;

    Relay(Subscriber<? super T> to, Consumer<Throwable> atError) {
      this.to = to;
      this.atError = atError;
    }

    @Override
    public void onSubscribe(Subscription subscription) {
      run(() -> to.onSubscribe(subscription));
    }

    @Override
    public void onNext(T item) {
      run(() -> to.onNext(item));
    }

    @Override
    public void onError(Throwable e) {
      atError.accept(e);
      run(() -> to.onError(e));
    }

    @Override
    public void onComplete() {
      run(to::onComplete);
    }
  }

  private final class Receiver<T> extends Relay<List<ByteBuffer>> implements BodySubscriber<T> {
    private final BodySubscriber<T> own;

    Receiver(BodySubscriber<T> own) {
      super(own, e -> isCut = true);
      this.own = own;
    }

    @Override
    public CompletionStage<T> getBody() {
      var body = get(own::getBody);
      result = body;
      return body;
    }
  }
}
