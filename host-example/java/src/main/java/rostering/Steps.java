package rostering;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.extism.sdk.chicory.ExtismFunctionException;
import org.extism.sdk.chicory.Plugin;

/**
 * Makes calls of the plugin by its exports begin and resume: the plugin says which request is next,
 * and is told what came of it. Threads may share one; it must be the only user of its instance.
 */
public final class Steps {
  private record Step(JsonNode flow, Request request, JsonNode output) {}

  private record Request(String method, String url, Map<String, String> headers, String body) {
    boolean isForToken() {
      return url.endsWith("/connect/token");
    }

    byte[] bytes() {
      return body == null ? new byte[0] : body.getBytes(StandardCharsets.UTF_8);
    }
  }

  /** One of the two is null. */
  private record Answer(HttpResponse<byte[]> response, IOException lost) {}

  private final Plugin plugin;
  private final HttpClient client;
  private final InstantSource clock;

  /** Held while the plugin runs, and while a token is asked for: others then find the token. */
  private final ReentrantLock turn = new ReentrantLock();

  /**
   * @param plugin an instance that needs no allowed hosts
   * @param client sends the requests; it must not follow redirects
   */
  public Steps(Plugin plugin, HttpClient client, InstantSource clock) {
    this.plugin = plugin;
    this.client = JdkHttp.requireNoRedirects(client);
    this.clock = clock;
  }

  /**
   * Makes a call and gives its output: of get_token the token object, else the service's answer.
   * Throws {@link ExtismFunctionException} with the plugin's error text, or a {@link
   * RosteringException} if the time was over before its turn came.
   *
   * @param call get_token, list_jobs or send_request
   * @param input the call's; without {@code now}, the clock's is taken
   * @param timeout bounds the call with all its requests, and its waiting for other threads
   */
  public byte[] call(String call, Map<String, ?> input, Duration timeout)
      throws InterruptedException {
    var deadline = Deadline.in(timeout);
    take(deadline);
    try {
      var begin = Map.of("call", call, "input", timed(input));
      var step = read(plugin.call("begin", Json.write(begin)));
      var body = new byte[0];
      while (step.request != null) {
        var answer = send(step.request, deadline);
        step = resume(step, answer);
        body = answer.lost == null ? answer.response.body() : body;
      }
      return step.output == null ? body : Json.write(step.output);
    } finally {
      if (turn.isHeldByCurrentThread()) {
        turn.unlock();
      }
    }
  }

  /** Calls an export that sends no requests. */
  byte[] tell(String export, Map<String, ?> input, Duration timeout) throws InterruptedException {
    take(Deadline.in(timeout));
    try {
      return plugin.call(export, Json.write(input));
    } finally {
      turn.unlock();
    }
  }

  /** The input with the time, if it has none. */
  Map<String, Object> timed(Map<String, ?> input) {
    var timed = new HashMap<String, Object>(input);
    timed.putIfAbsent("now", clock.instant().getEpochSecond());
    return timed;
  }

  private void take(Deadline deadline) throws InterruptedException {
    if (!turn.tryLock(deadline.nanosLeft(), TimeUnit.NANOSECONDS)) {
      throw RosteringException.noAnswer("the call's time was over before its turn came", null);
    }
  }

  private Answer send(Request request, Deadline deadline) throws InterruptedException {
    if (request.isForToken()) {
      return exchange(request, deadline);
    }
    turn.unlock();
    var answer = exchange(request, deadline);
    take(deadline);
    return answer;
  }

  private Answer exchange(Request r, Deadline deadline) throws InterruptedException {
    try {
      var response = JdkHttp.send(client, r.method, r.url, r.headers, r.bytes(), deadline);
      return new Answer(response, null);
    } catch (IOException e) {
      return new Answer(null, e);
    }
  }

  private Step resume(Step step, Answer answer) {
    var input = timed(Map.of("flow", step.flow));
    if (answer.lost != null) {
      input.put("failed", answer.lost.getMessage());
    } else {
      input.put("status", answer.response.statusCode());
      input.put("headers", answer.response.headers().map());
      if (step.request.isForToken()) { // the service's body stays here
        input.put("body", new String(answer.response.body(), StandardCharsets.UTF_8));
      }
    }
    try {
      return read(plugin.call("resume", Json.write(input)));
    } catch (ExtismFunctionException e) {
      if (answer.lost != null) {
        e.addSuppressed(answer.lost);
      }
      throw e;
    }
  }

  private static Step read(byte[] json) {
    return Json.read(json, Step.class);
  }
}
