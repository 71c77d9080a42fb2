package example.automaticrostering;

import static example.automaticrostering.RosteringException.Code.SERVICE_UNAUTHORIZED;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest.BodyPublisher;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A call of the service. Its error is the plugin's explanation of the last response. */
final class ServiceCall {
  private final Shared shared;
  private final Call call;
  private final Map<String, ?> input;
  private final BodyPublisher body;
  private final List<String> sent = new ArrayList<>();
  private Request request;
  private Response last;
  private long milliseconds; // that it took

  ServiceCall(Shared shared, Call call, Map<String, ?> input, BodyPublisher body) {
    this.shared = shared;
    this.call = call;
    this.input = input;
    this.body = body;
  }

  Response make() throws InterruptedException {
    var isRepeatable = Http.isRepeatable(body);
    request = shared.request(input);
    var failure = shared.send(call, isRepeatable, sent, this::send);
    if (failure == null && Http.isSuccess(last.status())) {
      return last;
    }
    var refusal =
        failure instanceof RosteringException e && e.code() == SERVICE_UNAUTHORIZED ? e : null;
    if (failure != refusal) {
      throw failure;
    }
    var error = explain(last.fields(), null);
    if (last.status() == 401 && !isRepeatable) {
      error = error.and("; it was not sent again, because its body can be read only once");
    }
    throw refusal == null ? error : error.advisedBy(refusal);
  }

  private int send(Token token) throws InterruptedException {
    var hooks = new Hooks();
    var prepared = shared.http.forProxy(request.with(token, hooks.body(body))).build();
    var begin = System.nanoTime();
    Http.Failure failure;
    try {
      last = shared.http.send(prepared);
      return last.status();
    } catch (Http.Failure e) {
      failure = e;
    } finally {
      milliseconds = NANOSECONDS.toMillis(System.nanoTime() - begin);
    }
    try {
      hooks.rethrow();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    throw explain(failure.fields(), failure);
  }

  private RosteringException explain(Map<String, ?> outcome, Http.Failure failure) {
    var x = new HashMap<String, Object>(outcome);
    x.put("tokens", sent);
    x.put("method", input.get("method"));
    x.put("path", input.get("path"));
    x.put("milliseconds", milliseconds);
    x.put("now", shared.now());
    var error = shared.plugin.call("explain", Json.write(x));
    return RosteringException.ofPlugin(error, failure);
  }
}
