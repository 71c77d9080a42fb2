package demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import example.automaticrostering.FileStore;
import example.automaticrostering.RedisStore;
import example.automaticrostering.RosteringClient;
import example.automaticrostering.RosteringConfig;
import example.automaticrostering.RosteringException;
import example.automaticrostering.Store;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import redis.clients.jedis.JedisPooled;

/**
 * A process of a fleet that shares one token. ROSTERING_STORE names the store: a URL of Redis, or a
 * folder. Without it, the process does not share its token.
 *
 * <p>Each line on standard input is a number of calls to make; the response is a line of JSON:
 * {@code {"calls":5,"token":"1f2e3d4c","expires_at":1800000000}}, where token is the beginning of
 * the SHA-256 of the token in use. A call that fails ends the process.
 */
public final class Fleet {
  private static final int REDIS_TIMEOUT_MS = 1000;

  public static void main(String[] args) throws Exception {
    var in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    try (var client = open()) {
      for (var line = in.readLine(); line != null; line = in.readLine()) {
        System.out.println(make(client, Integer.parseInt(line.strip())));
      }
    } catch (RosteringException | IOException e) {
      System.err.println(e.getMessage());
      System.exit(1);
    }
  }

  private static RosteringClient open() throws Exception {
    var builder = RosteringClient.builder(RosteringConfig.fromEnvironment());
    var store = System.getenv("ROSTERING_STORE");
    return store == null || store.isEmpty() ? builder.open() : builder.store(store(store)).open();
  }

  private static Store store(String name) throws Exception {
    if (!name.startsWith("redis://")) {
      return new FileStore(Path.of(name));
    }
    var store = new RedisStore(new JedisPooled(URI.create(name), REDIS_TIMEOUT_MS));
    store.get("rostering:connect"); // a first connection may take longer than a call waits
    return store;
  }

  private static String make(RosteringClient client, int calls) throws Exception {
    if (calls == 0) {
      return "{\"calls\":0}";
    }
    for (var i = 0; i < calls; i++) {
      client.listJobs();
    }
    var token = client.getToken();
    var hash = MessageDigest.getInstance("SHA-256").digest(token.accessToken().getBytes(UTF_8));
    return "{\"calls\":%d,\"token\":\"%s\",\"expires_at\":%d}"
        .formatted(
            calls,
            HexFormat.of().formatHex(hash).substring(0, 8),
            token.expiresAt().getEpochSecond());
  }
}
