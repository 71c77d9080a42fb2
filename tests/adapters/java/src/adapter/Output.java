package adapter;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.util.RawValue;
import example.automaticrostering.*;
import java.io.*;
import java.lang.reflect.InvocationTargetException;
import java.net.http.*;
import java.util.*;
import java.util.concurrent.*;

/** What the adapter writes: a line for each response and event. */
final class Output {
  private static final PrintStream LINES = new PrintStream(System.out, true, UTF_8);

  /** Responds with a result, which may be null, or with what was thrown. */
  static void respond(JsonNode r, Object result) {
    var response = new HashMap<String, Object>(Map.of("id", r.get("id")));
    if (result instanceof Throwable e) {
      failed(response, e);
    } else if (result instanceof Map<?, ?> fields) {
      fields.forEach((name, value) -> response.put((String) name, value));
    } else if (result instanceof Token token) {
      response.put("token", new RawValue(token.toJson()));
    } else if (result instanceof Response http) {
      http(response, http);
    } else if (result instanceof HttpResponse<?> http) { // of own
      http(response, new Response(http.statusCode(), http.headers(), (byte[]) http.body()));
    }
    write(response);
  }

  static void write(Map<String, ?> line) {
    LINES.println(Adapter.JSON.valueToTree(line).toString());
  }

  private static void http(Map<String, Object> response, Response http) {
    var names = new HashMap<String, String>();
    http.headers().map().forEach((n, all) -> names.put(n.toLowerCase(), String.join(", ", all)));
    response.put("status", http.status());
    response.put("headers", names);
    response.put("body", http.body());
  }

  private static void failed(Map<String, Object> response, Throwable e) {
    if (e instanceof CompletionException || e instanceof InvocationTargetException) {
      failed(response, e.getCause());
      return;
    }
    response.put("text", e.toString());
    response.put("shown", shown(e));
    Optional.ofNullable(e.getCause()).ifPresent(cause -> response.put("cause", cause.toString()));
    var isClosed = e instanceof IllegalStateException && e.toString().contains("client is closed");
    if (e instanceof RosteringException error) {
      var body = error.body().orElse("").getBytes(UTF_8);
      http(response, new Response(error.status().orElse(0), error.headers(), body));
      response.put("error", error.toJson());
    } else if (e instanceof InterruptedException || e instanceof CancellationException) {
      response.put("canceled", true);
    } else if (isClosed || e instanceof IllegalArgumentException) {
      response.put("closed", isClosed);
      response.put("misuse", e.toString());
    } else {
      response.put("trap", e.toString());
    }
  }

  /** What a log shows, and all that is written with the object. */
  private static String shown(Throwable e) {
    var text = new StringWriter();
    e.printStackTrace(new PrintWriter(text));
    var object = new ByteArrayOutputStream();
    try (var stream = new ObjectOutputStream(object)) {
      stream.writeObject(e);
    } catch (IOException notSerializable) {
      text.append(notSerializable.toString());
    }
    return text + object.toString(ISO_8859_1);
  }
}
