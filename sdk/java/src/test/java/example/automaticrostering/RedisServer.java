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
 * A Redis on loopback that keeps nothing on disk. Without redis-server the test is skipped, unless
 * CI is true.
 */
final class RedisServer implements AutoCloseable {
  private final Process process;
  final URI uri;

  RedisServer() throws IOException, InterruptedException {
    var port = freePort();
    uri = URI.create("redis://127.0.0.1:" + port);
    process = start(port);
    var end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!answers()) {
      if (!process.isAlive() || System.nanoTime() > end) {
        close();
        throw new IOException("redis-server does not answer");
      }
      Thread.sleep(10);
    }
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

  private boolean answers() {
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
