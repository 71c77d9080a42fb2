package example.automaticrostering;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.JedisPooled;

class StoreTest extends SandboxTest {
  private static final int HOUR = 3600;
  private static RedisServer server;
  private static JedisPooled redis;

  @TempDir Path directory;

  enum Kind {
    MEMORY,
    FILE,
    REDIS
  }

  /** Only the tests of Redis start it, so that the others run without it. */
  private static JedisPooled emptyRedis() throws Exception {
    if (server == null) {
      server = RedisServer.start();
      redis = new JedisPooled(server.uri, 1000);
    }
    redis.flushAll();
    return redis;
  }

  @AfterAll
  static void stopRedis() {
    if (server != null) {
      redis.close();
      server.close();
    }
  }

  private Store open(Kind kind) throws Exception {
    return switch (kind) {
      case MEMORY -> new MemoryStore();
      case FILE -> new FileStore(directory.resolve("new"));
      case REDIS -> new RedisStore(emptyRedis());
    };
  }

  @ParameterizedTest
  @EnumSource
  void operations(Kind kind) throws Exception {
    var store = open(kind);
    var key = "https://a/b:c ".repeat(35).strip(); // longer than a file's name
    assertNull(store.get(key));
    assertTrue(store.add(key, "one\ntwo ü", HOUR));
    assertFalse(store.add(key, "three", HOUR));
    assertEquals("one\ntwo ü", store.get(key));
    store.set(key, "", 1);
    assertEquals("", store.get(key));
    while (store.get(key) != null) {
      Thread.sleep(10);
    }
    assertTrue(store.add(key, "four", HOUR));
    assertEquals("four", store.get(key));
  }

  @ParameterizedTest
  @EnumSource
  void oneOfManyAdds(Kind kind) throws Exception {
    var store = open(kind);
    Callable<Boolean> add = () -> store.add("key", "new", HOUR);
    var threads = Executors.newFixedThreadPool(10);
    var added = 0;
    for (var result : threads.invokeAll(Collections.nCopies(10, add))) {
      added += result.get() ? 1 : 0;
    }
    threads.shutdown();
    assertEquals(1, added);
  }

  @ParameterizedTest
  @EnumSource
  void clientsShareOneToken(Kind kind) throws Exception {
    var store = open(kind);
    try (var one = sandbox.client().store(store).open();
        var other = sandbox.client().store(store).open()) {
      assertEquals(one.getToken(), other.getToken());
    }
    assertRequests(1, 0);
  }

  /** A store whose operations fail. */
  private record Broken(Operation operation) implements Store {
    interface Operation {
      void use(String value) throws Exception;
    }

    @Override
    public String get(String key) throws Exception {
      operation.use("");
      return null;
    }

    @Override
    public boolean add(String key, String value, long ttlSeconds) throws Exception {
      operation.use(value);
      return true;
    }

    @Override
    public void set(String key, String value, long ttlSeconds) throws Exception {
      operation.use(value);
    }
  }

  @Test
  void storeThatHangsIsInterrupted() throws Exception {
    var interrupted = new CountDownLatch(1);
    var store =
        new Broken(
            value -> {
              try {
                Thread.sleep(Long.MAX_VALUE);
              } finally {
                interrupted.countDown();
              }
            });
    try (var client = sandbox.client().store(store).open()) {
      assertEquals(200, client.listJobs().status());
    }
    interrupted.await();
  }

  @Test
  void storeWarningComesOnce() throws Exception {
    var store =
        new Broken(
            value -> {
              throw new IOException("the disk is full");
            });
    try (var log = new Log();
        var client = sandbox.client().store(store).open()) {
      for (var i = 0; i < 3; i++) {
        client.getToken(TokenOptions.force());
      }
      var warnings = log.lines.stream().filter(line -> line.startsWith("WARNING")).toList();
      assertEquals(1, warnings.size(), warnings::toString);
      assertTrue(warnings.get(0).contains("the disk is full"), warnings::toString);
    }
  }

  @Test
  void storeWarningShowsNoToken() throws Exception {
    var store =
        new Broken(
            value -> {
              if (value.contains("access_token")) {
                throw new IllegalStateException("cannot set " + value);
              }
            });
    try (var log = new Log();
        var client = sandbox.client().store(store).open()) {
      var token = client.getToken().accessToken();
      var lines = String.join("\n", log.lines);
      assertTrue(lines.contains("cannot set [redacted]"), lines);
      assertFalse(lines.contains(token));
    }
  }
}
