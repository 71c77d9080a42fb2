package example.automaticrostering;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A process of build/sandbox; tests/sandbox/doc.go documents its controls. */
public final class Sandbox {
  private static final Path PROGRAM = Path.of("../../build/sandbox");
  private static final int EXIT_SECONDS = 30;
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  public record Counts(int tokenRequests, int jobRequests) {}

  record Request(
      String server, String method, String target, Map<String, String> headers, String body) {}

  private record Facts(String controlUrl, Map<String, String> env) {}

  private final Process process;
  private final Facts facts;

  public Sandbox() throws IOException {
    if (!Files.exists(PROGRAM)) {
      throw new IOException("run make build/sandbox first");
    }
    process =
        new ProcessBuilder(PROGRAM.toString(), "-json", "-until-stdin-closes")
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    facts = Json.read(process.inputReader(UTF_8).readLine().getBytes(UTF_8), Facts.class);
  }

  /** The variables of the example programs. */
  public Map<String, String> env() {
    return facts.env;
  }

  RosteringConfig config() {
    var config = new RosteringConfig();
    facts.env.forEach(
        (name, value) ->
            config.keys.put(name.replace("ROSTERING_", "").toLowerCase(Locale.ROOT), value));
    return config;
  }

  /** Opens a client. The interpreter opens faster than the compiler. */
  Rostering open(RosteringOptions options) {
    return Rostering.open(config(), options.interpreter());
  }

  public void fault(Map<String, ?> fault) throws IOException, InterruptedException {
    control("POST", "/faults", fault);
  }

  public void clearFaults() throws IOException, InterruptedException {
    control("DELETE", "/faults", Map.of());
  }

  /** Revokes all tokens. */
  void revoke() throws IOException, InterruptedException {
    control("POST", "/revoke", Map.of());
  }

  public Counts counts() throws IOException, InterruptedException {
    return Json.read(control("GET", "/counts", Map.of()), Counts.class);
  }

  /** Waits until at least this many requests have arrived. */
  public void await(Counts counts) throws IOException, InterruptedException {
    control("POST", "/wait", counts);
  }

  Stream<Request> jobRequests() throws IOException, InterruptedException {
    var requests = Json.read(control("GET", "/requests", Map.of()), Request[].class);
    return Stream.of(requests).filter(r -> r.server.equals("jobs"));
  }

  private byte[] control(String method, String path, Object body)
      throws IOException, InterruptedException {
    var uri = URI.create(facts.controlUrl + path);
    var publisher = BodyPublishers.ofByteArray(Json.write(body));
    var request = HttpRequest.newBuilder(uri).method(method, publisher).build();
    var answer = HTTP.send(request, BodyHandlers.ofByteArray());
    if (answer.statusCode() >= 300) {
      throw new IOException("the sandbox answered " + new String(answer.body(), UTF_8));
    }
    return answer.body();
  }

  public void close() throws IOException, InterruptedException {
    process.getOutputStream().close();
    if (!process.waitFor(EXIT_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IOException("the sandbox did not exit");
    }
  }
}
