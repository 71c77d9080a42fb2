package example;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import rostering.RosteringConfig;

/** What the program reads from its environment. */
final class Environment {
  private static final String BUILT_WASM = "dist/rostering.wasm";

  private final Map<String, String> variables;
  private final List<String> missing = new ArrayList<>();

  Environment(Map<String, String> variables) {
    this.variables = variables;
  }

  /** Reads the config, and names all that is missing at once. */
  RosteringConfig config() {
    var config =
        RosteringConfig.builder()
            .authUrl(read("ROSTERING_AUTH_URL"))
            .baseUrl(read("ROSTERING_BASE_URL"))
            .environment(read("ROSTERING_ENVIRONMENT"))
            .clientId(read("ROSTERING_CLIENT_ID"))
            .clientSecret(read("ROSTERING_CLIENT_SECRET"))
            .customerId(read("ROSTERING_CUSTOMER_ID"))
            .userId(read("ROSTERING_USER_ID"))
            .build();
    if (!missing.isEmpty()) {
      throw new IllegalArgumentException("set " + String.join(", ", missing));
    }
    return config;
  }

  private String read(String name) {
    var value = variables.getOrDefault(name, "");
    if (value.isEmpty()) {
      missing.add(name);
    }
    return value;
  }

  /**
   * The plugin in ROSTERING_WASM, or the one built in this repository, wherever in it the program
   * is run.
   */
  Path wasm() {
    var named = variables.getOrDefault("ROSTERING_WASM", "");
    var path = named.isEmpty() ? builtWasm() : Path.of(named);
    if (!Files.isReadable(path)) {
      throw new IllegalArgumentException("there is no " + path);
    }
    return path;
  }

  private static Path builtWasm() {
    for (var dir = Path.of("").toAbsolutePath(); dir != null; dir = dir.getParent()) {
      if (Files.exists(dir.resolve(BUILT_WASM))) {
        return dir.resolve(BUILT_WASM);
      }
    }
    throw new IllegalArgumentException(
        "there is no %s here or above: run make build, or set ROSTERING_WASM"
            .formatted(BUILT_WASM));
  }
}
