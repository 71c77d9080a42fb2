package demo;

import example.automaticrostering.RosteringClient;
import example.automaticrostering.Token;
import example.automaticrostering.TokenOptions;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.function.Function;
import org.springframework.http.HttpRequest;
import org.springframework.http.HttpStatus;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.stereotype.Component;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Adds the token to every request of a client of Spring, and replaces it after a 401. */
@Component
record TokenLayer(RosteringClient rostering)
    implements ClientHttpRequestInterceptor, ExchangeFilterFunction {

  @Override // of RestClient
  public ClientHttpResponse intercept(
      HttpRequest request, byte[] body, ClientHttpRequestExecution execution) throws IOException {
    try {
      var token = rostering.getToken().accessToken();
      request.getHeaders().setBearerAuth(token);
      var response = execution.execute(request, body);
      if (response.getStatusCode() != HttpStatus.UNAUTHORIZED) return response;
      response.close();
      var other = rostering.getToken(TokenOptions.refused(token));
      request.getHeaders().setBearerAuth(other.accessToken());
      return execution.execute(request, body);
    } catch (InterruptedException e) {
      throw new InterruptedIOException();
    }
  }

  @Override // of WebClient
  public Mono<ClientResponse> filter(ClientRequest request, ExchangeFunction next) {
    Function<Token, Mono<ClientResponse>> send =
        token -> next.exchange(with(request, token.accessToken()));
    return token(TokenOptions.cached())
        .flatMap(token -> send.apply(token).flatMap(response -> retried(response, token, send)));
  }

  private Mono<ClientResponse> retried(
      ClientResponse response, Token token, Function<Token, Mono<ClientResponse>> send) {
    if (response.statusCode() != HttpStatus.UNAUTHORIZED) return Mono.just(response);
    var other = token(TokenOptions.refused(token.accessToken()));
    return response.releaseBody().then(other).flatMap(send);
  }

  private Mono<Token> token(TokenOptions which) {
    return Mono.fromCallable(() -> rostering.getToken(which))
        .subscribeOn(Schedulers.boundedElastic());
  }

  private static ClientRequest with(ClientRequest request, String token) {
    return ClientRequest.from(request).headers(headers -> headers.setBearerAuth(token)).build();
  }
}
