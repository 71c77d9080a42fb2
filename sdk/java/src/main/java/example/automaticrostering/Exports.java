package example.automaticrostering;

import java.util.function.Supplier;

/** The exports of the plugin: each takes an input and returns an output. */
interface Exports {
  byte[] call(String export, byte[] input) throws Failure;

  /** An error of an export, as JSON of the contract. */
  final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1;

    Failure(String json) {
      super(json);
    }
  }

  /** Opens a plugin, and refuses one with another contract. */
  static Exports open(Supplier<Exports> plugin) {
    Exports opened;
    int contract;
    try {
      opened = plugin.get();
      contract = Json.read(opened.call("version", new byte[0])).getInt("contract");
    } catch (RuntimeException e) {
      throw wrong("the file is not a build of the plugin (" + e.getMessage() + ")", e);
    }
    if (contract != RosteringClient.CONTRACT) {
      throw wrong("the plugin has contract " + contract, null);
    }
    return opened;
  }

  private static IllegalArgumentException wrong(String what, Exception cause) {
    return new IllegalArgumentException(
        "%s; this library needs contract %d: use the library from the plugin's release"
            .formatted(what, RosteringClient.CONTRACT),
        cause);
  }
}
