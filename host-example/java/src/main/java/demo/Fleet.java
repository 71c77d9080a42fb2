package demo;

import com.fasterxml.jackson.databind.json.JsonMapper;
import example.automaticrostering.RedisStore;
import example.automaticrostering.Rostering;
import example.automaticrostering.Token;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import redis.clients.jedis.JedisPooled;

/**
 * A process of a fleet that shares one token. Beside the variables of {@link Main}, ROSTERING_REDIS
 * is the address of the Redis that it shares its token through; without it, it does not share.
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
    var settings = new Settings(variables);
    var options = settings.options();
    var redis = settings.variable("ROSTERING_REDIS");
    if (!redis.isEmpty()) {
      var store = new RedisStore(new JedisPooled(URI.create(redis), REDIS_TIMEOUT_MS));
      store.get("rostering:connect"); // a first connection may take longer than a call waits
      options.store(store);
    }
    try (var client = Rostering.open(settings.config(), options)) {
      var mapper = new JsonMapper();
      for (var line = in.readLine(); line != null; line = in.readLine()) {
        out.println(mapper.writeValueAsString(make(client, Integer.parseInt(line.strip()))));
        out.flush();
      }
    }
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
