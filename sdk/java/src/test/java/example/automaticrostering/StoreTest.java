package example.automaticrostering;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
      server = new RedisServer();
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
    store.set("key", "expired", 1);
    while (store.get("key") != null) {
      Thread.sleep(10);
    }
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
    var options = new RosteringOptions().store(open(kind));
    try (var one = sandbox.open(options);
        var other = sandbox.open(options)) {
      assertEquals(one.getToken(), other.getToken());
    }
    assertRequests(1, 0);
  }

  @Test
  void storeThatHangsIsInterrupted() throws Exception {
    var interrupted = new CountDownLatch(1);
    Store hangs =
        new Store() {
          @Override
          public String get(String key) throws InterruptedException {
            try {
              Thread.sleep(Long.MAX_VALUE);
            } finally {
              interrupted.countDown();
            }
            return null;
          }

          @Override
          public boolean add(String key, String value, long ttlSeconds) {
            return true;
          }

          @Override
          public void set(String key, String value, long ttlSeconds) {}
        };
    try (var client = sandbox.open(new RosteringOptions().store(hangs))) {
      assertEquals(200, client.listJobs().status());
    }
    interrupted.await();
  }
}
