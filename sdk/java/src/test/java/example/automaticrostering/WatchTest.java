package example.automaticrostering;

import static org.junit.jupiter.api.Assertions.*;

import example.automaticrostering.RosteringException.Code;
import io.micrometer.core.instrument.*;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The metrics that docs/operations.md shows, and the status that they read. */
class WatchTest extends ServersTest {
  // snippet
  // Micrometer does not keep the client alive: the program does.
  static void watch(RosteringClient client, MeterRegistry registry) {
    FunctionCounter.builder("rostering.calls", client, c -> c.status().calls()).register(registry);
    FunctionCounter.builder("rostering.token.requests", client, c -> c.status().tokenRequests())
        .register(registry);
    for (var code : Code.values()) {
      FunctionCounter.builder(
              "rostering.failed.calls",
              client,
              c -> c.status().failedCalls().getOrDefault(code, 0L))
          .tag("code", code.toString())
          .register(registry);
    }
  }

  // end of snippet

  @Test
  void oneTokenRequestForAThousandCalls() throws Exception {
    var registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    watch(client, registry);
    for (var i = 0; i < 1000; i++) {
      client.listJobs();
    }
    service = exchange -> respond(exchange, 503, "busy");
    assertCode(Code.SERVICE_ERROR, client::listJobs);
    var lines = List.of(registry.scrape().split("\n"));
    assertTrue(lines.contains("rostering_calls_total 1001.0"), lines::toString);
    assertTrue(lines.contains("rostering_token_requests_total 1.0"), lines::toString);
    assertTrue(
        lines.contains("rostering_failed_calls_total{code=\"service_error\"} 1.0"),
        lines::toString);
  }
}
