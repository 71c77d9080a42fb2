package demo;

import com.fasterxml.jackson.databind.json.JsonMapper;
import example.automaticrostering.FileStore;
import example.automaticrostering.RedisStore;
import example.automaticrostering.Rostering;
import example.automaticrostering.RosteringConfig;
import example.automaticrostering.RosteringOptions;
import example.automaticrostering.Store;
import example.automaticrostering.Token;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import redis.clients.jedis.JedisPooled;

/**
 * A process of a fleet that shares one token. ROSTERING_STORE names the store: a URL of Redis, or a
 * folder; without it, the process does not share its token.
 *
 * <p>Each line on standard input is a number of calls to make; a line of JSON answers it: {@code
 * {"calls":5,"token":"1f2e3d4c","expires_at":1800000000}}, where token is the beginning of the
 * SHA-256 of the token in use. A call that fails ends the process.
 */
public final class Fleet {
  private static final int REDIS_TIMEOUT_MS = 1000;

  private Fleet() {}

  public static void main(String[] args) throws Exception {
    run(
        System.getenv(),
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)),
        System.out);
  }

  static void run(Map<String, String> variables, BufferedReader in, PrintStream out)
      throws IOException, InterruptedException {
    var options = new RosteringOptions();
    var name = variables.getOrDefault("ROSTERING_STORE", "");
    if (!name.isEmpty()) {
      options.store(store(name));
    }
    try (var client = Rostering.open(RosteringConfig.fromEnvironment(), options)) {
      var mapper = new JsonMapper();
      for (var line = in.readLine(); line != null; line = in.readLine()) {
        out.println(mapper.writeValueAsString(make(client, Integer.parseInt(line.strip()))));
        out.flush();
      }
    }
  }

  private static Store store(String name) throws IOException {
    if (!name.startsWith("redis://")) {
      return new FileStore(Path.of(name));
    }
    var store = new RedisStore(new JedisPooled(URI.create(name), REDIS_TIMEOUT_MS));
    store.get("rostering:connect"); // a first connection may take longer than a call waits
    return store;
  }

  /** Makes calls, and tells which token the last one was made with. */
  private static Map<String, ?> make(Rostering client, int calls) throws InterruptedException {
    for (var i = 0; i < calls; i++) {
      client.listJobs();
    }
    var made = new LinkedHashMap<String, Object>();
    made.put("calls", calls);
    if (calls > 0) {
      var token = client.getToken();
      made.put("token", hash(token));
      made.put("expires_at", token.expiresAt().getEpochSecond());
    }
    return made;
  }

  private static String hash(Token token) {
    try {
      var text = token.accessToken().getBytes(StandardCharsets.UTF_8);
      var hash = MessageDigest.getInstance("SHA-256").digest(text);
      return HexFormat.of().formatHex(hash).substring(0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e); // every Java has it
    }
  }
}
