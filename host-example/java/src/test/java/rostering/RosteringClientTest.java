package rostering;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What only the client does. */
class RosteringClientTest extends ServiceTest {
  @Test
  void buildWithoutClock() {
    var wasm = Path.of("../../dist/rostering-nowasi.wasm");
    var client = RosteringClient.open(wasm, service.config().build());
    assertCode("clock_unusable", client::getToken);
  }
}
