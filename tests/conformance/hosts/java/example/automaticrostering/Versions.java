package example.automaticrostering;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.util.Properties;

/** Reads what runs. */
final class Versions {
  private Versions() {}

  static String text() {
    return "Java %s, endive %s, chicory-sdk-core %s, chicory %s, java.net.http %s"
        .formatted(
            System.getProperty("java.version"),
            library("run.endive", "runtime"),
            library("org.extism.sdk", "chicory-sdk-core"),
            library("com.dylibso.chicory", "runtime"),
            HttpClient.class.getModule().getDescriptor().rawVersion().orElse("unknown"));
  }

  /** The version that Maven writes into a library. */
  private static String library(String group, String artifact) {
    var path = "/META-INF/maven/%s/%s/pom.properties".formatted(group, artifact);
    try (var stream = Versions.class.getResourceAsStream(path)) {
      var properties = new Properties();
      properties.load(stream);
      return properties.getProperty("version");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
