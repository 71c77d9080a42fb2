package example.automaticrostering;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import redis.clients.jedis.JedisPooled;
import redis.clients.jedis.exceptions.JedisConnectionException;

/**
 * A Redis server on loopback that keeps nothing on disk. Without redis-server the test is skipped,
 * unless CI is true.
 */
final class RedisServer implements AutoCloseable {
  private static final int ATTEMPTS = 5;

  private final Process process;
  final URI uri;

  private RedisServer(int port) throws IOException {
    uri = URI.create("redis://127.0.0.1:" + port);
    process = start(port);
  }

  static RedisServer start() throws IOException, InterruptedException {
    for (var i = 0; i < ATTEMPTS; i++) { // another program may take the free port first
      var server = new RedisServer(freePort());
      if (server.isUp()) {
        return server;
      }
      server.close();
    }
    throw new IOException("redis-server does not start");
  }

  private boolean isUp() throws InterruptedException {
    var end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (process.isAlive() && System.nanoTime() < end) {
      if (responds()) {
        return true;
      }
      Thread.sleep(10);
    }
    return false;
  }

  private static Process start(int port) throws IOException {
    var server =
        new ProcessBuilder("redis-server", "--bind", "127.0.0.1", "--port", "" + port, "--save", "")
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD);
    try {
      return server.start();
    } catch (IOException e) {
      if ("true".equals(System.getenv("CI"))) {
        throw e;
      }
      return Assumptions.abort("redis-server is missing: apt-get install redis-server");
    }
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private boolean responds() {
    try (var redis = new JedisPooled(uri)) {
      return redis.ping().equals("PONG");
    } catch (JedisConnectionException e) {
      return false;
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
