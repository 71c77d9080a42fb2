package demo;

import example.automaticrostering.RosteringConfig;
import example.automaticrostering.RosteringConfig.Environment;
import example.automaticrostering.RosteringOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What the programs read from their environment. */
final class Settings {
  private final Map<String, String> variables;
  private final List<String> missing = new ArrayList<>();

  Settings(Map<String, String> variables) {
    this.variables = variables;
  }

  /** Reads the config, and names everything that is missing at once. */
  RosteringConfig config() {
    var environment = require("ROSTERING_ENVIRONMENT");
    var config =
        new RosteringConfig()
            .authUrl(require("ROSTERING_AUTH_URL"))
            .baseUrl(require("ROSTERING_BASE_URL"))
            .clientId(require("ROSTERING_CLIENT_ID"))
            .clientSecret(require("ROSTERING_CLIENT_SECRET"))
            .customerId(require("ROSTERING_CUSTOMER_ID"))
            .userId(require("ROSTERING_USER_ID"));
    if (!missing.isEmpty()) {
      throw new IllegalArgumentException("set " + String.join(", ", missing));
    }
    return config.environment(Environment.valueOf(environment.toUpperCase(Locale.ROOT)));
  }

  /** The plugin in ROSTERING_WASM, or the library's own. */
  RosteringOptions options() throws IOException {
    var wasm = variable("ROSTERING_WASM");
    return wasm.isEmpty() ? new RosteringOptions() : new RosteringOptions().plugin(Path.of(wasm));
  }

  /** The value of a variable, or an empty text. */
  String variable(String name) {
    return variables.getOrDefault(name, "");
  }

  private String require(String name) {
    var value = variable(name);
    if (value.isEmpty()) {
      missing.add(name);
    }
    return value;
  }
}
