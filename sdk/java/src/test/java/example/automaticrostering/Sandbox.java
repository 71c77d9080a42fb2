package example.automaticrostering;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A process of build/sandbox; sandbox/doc.go documents its controls. */
final class Sandbox {
  private static final Path PROGRAM = Path.of("../../build/sandbox");
  private static final int EXIT_SECONDS = 30;
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .build();

  record Counts(int tokenRequests, int jobRequests) {}

  record Request(
      String server, String method, String target, Map<String, String> headers, String body) {}

  private record Facts(String controlUrl, Map<String, String> env) {}

  private final Process process;
  private final Facts facts;

  Sandbox() throws IOException {
    if (!Files.exists(PROGRAM)) {
      throw new IOException("run make build/sandbox first");
    }
    process =
        new ProcessBuilder(PROGRAM.toString(), "-json", "-until-stdin-closes")
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    facts = MAPPER.readValue(process.inputReader(UTF_8).readLine(), Facts.class);
  }

  /** The variables of the example programs. */
  Map<String, String> env() {
    return facts.env;
  }

  RosteringConfig config() {
    return RosteringConfig.fromEnvironment(facts.env);
  }

  /** The config with another value for a variable. */
  RosteringConfig config(String variable, String value) {
    var variables = new HashMap<>(facts.env);
    variables.put(variable, value);
    return RosteringConfig.fromEnvironment(variables);
  }

  RosteringClientBuilder client() {
    return RosteringClient.builder(config());
  }

  void fault(Map<String, ?> fault) throws IOException, InterruptedException {
    control("POST", "/faults", fault);
  }

  void clearFaults() throws IOException, InterruptedException {
    control("DELETE", "/faults", Map.of());
  }

  /** Revokes all tokens. */
  void revoke() throws IOException, InterruptedException {
    control("POST", "/revoke", Map.of());
  }

  /** Sets the lifetime of new tokens. */
  void lifetime(int seconds) throws IOException, InterruptedException {
    control("POST", "/lifetime", Map.of("seconds", seconds));
  }

  Counts counts() throws IOException, InterruptedException {
    return MAPPER.readValue(control("GET", "/counts", Map.of()), Counts.class);
  }

  /** Waits until at least this many requests have arrived. */
  void await(Counts counts) throws IOException, InterruptedException {
    control("POST", "/wait", counts);
  }

  Stream<Request> requests() throws IOException, InterruptedException {
    return Stream.of(MAPPER.readValue(control("GET", "/requests", Map.of()), Request[].class));
  }

  Stream<Request> jobRequests() throws IOException, InterruptedException {
    return requests().filter(r -> r.server.equals("jobs"));
  }

  private byte[] control(String method, String path, Object body)
      throws IOException, InterruptedException {
    var uri = URI.create(facts.controlUrl + path);
    var publisher = BodyPublishers.ofByteArray(MAPPER.writeValueAsBytes(body));
    var request = HttpRequest.newBuilder(uri).method(method, publisher).build();
    var response = HTTP.send(request, BodyHandlers.ofByteArray());
    if (response.statusCode() >= 300) {
      throw new IOException("the sandbox responded " + new String(response.body(), UTF_8));
    }
    return response.body();
  }

  void close() throws IOException, InterruptedException {
    process.getOutputStream().close();
    if (!process.waitFor(EXIT_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IOException("the sandbox did not exit");
    }
  }
}
