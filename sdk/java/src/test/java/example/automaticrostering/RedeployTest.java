package example.automaticrostering;

import static org.junit.jupiter.api.Assertions.*;

import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** An application server loads a program again, without ending the process. */
class RedeployTest extends ServersTest {
  /** The program, in a separate class loader. */
  public static final class Program implements Consumer<Map<String, String>> {
    @Override
    public void accept(Map<String, String> variables) {
      var config = RosteringConfig.fromEnvironment(variables);
      try (var client = RosteringClient.builder(config).store(new MemoryStore()).open();
          var other = RosteringClient.open(config)) {
        client.listJobs();
        other.listJobs();
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }
  }

  private WeakReference<ClassLoader> deploy(Map<String, String> variables) throws Exception {
    var path = Stream.of(System.getProperty("java.class.path").split(":"));
    var urls = path.map(RedeployTest::url).toArray(URL[]::new);
    var loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
    var type = loader.loadClass(Program.class.getName());
    @SuppressWarnings("unchecked")
    var program = (Consumer<Map<String, String>>) type.getConstructor().newInstance();
    var thread = new Thread(() -> program.accept(variables));
    thread.setContextClassLoader(loader);
    thread.start();
    thread.join();
    loader.close();
    return new WeakReference<>(loader);
  }

  private static URL url(String path) {
    return assertDoesNotThrow(() -> Path.of(path).toUri().toURL());
  }

  @Test
  void nothingKeepsTheClassLoaderAfterClose() throws Exception {
    var variables = new TreeMap<String, String>();
    config().keys().forEach((key, value) -> variables.put("ROSTERING_" + key.toUpperCase(), value));
    var loader = deploy(variables);
    for (var tries = 100; loader.get() != null && tries > 0; tries--) { // 10 s
      System.gc();
      Thread.sleep(100);
    }
    var left = loader.get();
    for (var thread : Thread.getAllStackTraces().keySet()) {
      assertTrue(left == null || thread.getContextClassLoader() != left, thread::toString);
    }
    assertNull(left);
  }
}
