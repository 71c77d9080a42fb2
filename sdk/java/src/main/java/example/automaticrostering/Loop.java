package example.automaticrostering;

import static java.util.concurrent.CompletableFuture.completedFuture;
import static java.util.concurrent.CompletableFuture.failedFuture;

import java.lang.System.Logger.Level;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;

/** Sends a request, and again with another token after a 401. */
abstract class Loop<T> {
  /** The first other token may come from a store, and have been revoked, too. */
  private static final int MOST_SENDS = 3;

  final Driver driver;
  final List<String> sent = new ArrayList<>();
  private final boolean isRepeatable;
  private final Executor executor;

  /** What follows the last response: a token to send the request with, or null for nothing. */
  private CompletableFuture<Token> next;

  /** Why there was no other token after the last response, or null. */
  Throwable verdict;

  Loop(Driver driver, BodyPublisher body, Executor executor) {
    this.driver = driver;
    this.isRepeatable = Parts.isRepeatable(body);
    this.executor = executor;
  }

  /** Returns a token. The service refused the last one, unless that is null. */
  abstract CompletableFuture<Token> token(String refused);

  /** Sends the request once. */
  abstract CompletableFuture<HttpResponse<T>> send(Token token);

  /** Returns the last response. */
  CompletableFuture<HttpResponse<T>> run() {
    return token(null).thenComposeAsync(this::attempt, executor);
  }

  private CompletableFuture<HttpResponse<T>> attempt(Token token) {
    if (!sent.isEmpty()) {
      driver.log.accept(
          Level.WARNING,
          "the service refused the token; the request is sent again with another one");
    }
    sent.add(token.accessToken());
    next = null;
    return send(token).handle(this::sent).thenCompose(Function.identity());
  }

  private CompletableFuture<HttpResponse<T>> sent(HttpResponse<T> response, Throwable e) {
    if (e == null && next == null) {
      responded(response.statusCode());
    }
    if (next == null) {
      return failedFuture(e);
    }
    return next.handle(
            (t, noToken) -> {
              verdict = noToken;
              return t;
            })
        .thenComposeAsync(
            t -> t != null ? attempt(t) : e == null ? completedFuture(response) : failedFuture(e),
            executor);
  }

  /** Judges a response; returns the token to send the request with again, or null. */
  CompletableFuture<Token> responded(int status) {
    var token = sent.get(sent.size() - 1);
    next = completedFuture(null);
    if (status != 401) {
      driver.holder.accept(token);
      return next;
    }
    driver.holder.refuse(token, isRepeatable && sent.size() == 1);
    if (isRepeatable) {
      next = token(token).thenApply(t -> sent.size() == MOST_SENDS ? null : t);
    }
    return next;
  }
}
