package rostering;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RosteringClientTest extends ServiceTest {
  @Test
  void firstCallAndCachedCall() throws Exception {
    var client = service.open();
    assertJobs(client);
    assertJobs(client);
    assertEquals(1, service.tokenForms.size());
    assertEquals(2, service.jobHeaders.size());
  }

  @Test
  void requestsAreThoseOfTheConfig() throws Exception {
    var client = service.open();
    client.listJobs();
    client.listJobs(JobsInput.ofConfig().withCustomerId("c2"));
    client.listJobs(JobsInput.ofConfig().withUserId("u2"));
    client.listJobs(JobsInput.ofConfig().withoutCustomerId().withoutUserId());
    assertEquals(
        List.of(
            "grant_type=client_credentials&client_id=client&client_secret=s3cr3t"
                + "&scope=automatic-rostering-stage"),
        service.tokenForms);
    assertEquals(
        List.of(
            List.of("[Bearer token-1]", "[customer]", "[user]"),
            List.of("[Bearer token-1]", "[c2]", "[user]"),
            List.of("[Bearer token-1]", "[customer]", "[u2]"),
            List.of("[Bearer token-1]", "[]", "[]")),
        service.jobHeaders);
  }

  @Test
  void token() throws Exception {
    var client = service.open();
    var token = client.getToken();
    assertEquals("token-1", token.accessToken());
    assertEquals("Bearer", token.tokenType());
    assertTrue(token.expiresAt().isAfter(Instant.now()), token::toString);
    assertEquals(token, client.getToken());
    assertNotEquals(token.accessToken(), client.renewToken().accessToken());
  }

  @Test
  void threadsShareOneToken() throws Exception {
    var client = service.open();
    var calls = new ArrayList<Callable<byte[]>>();
    for (var i = 0; i < 20; i++) {
      calls.add(client::listJobs);
    }
    var threads = Executors.newFixedThreadPool(calls.size());
    try {
      var patience = Service.PATIENCE.toSeconds();
      for (var call : threads.invokeAll(calls, patience, TimeUnit.SECONDS)) {
        assertEquals(Service.JOBS.length(), call.get().length);
      }
    } finally {
      threads.shutdownNow();
    }
    assertEquals(1, service.tokenForms.size());
  }

  @Test
  void secretsDoNotShow() throws Exception {
    var config = service.config();
    var shown = config + " " + config.build() + " " + service.open().getToken();
    assertEquals(-1, shown.indexOf("s3cr3t"), shown);
    assertEquals(-1, shown.indexOf("token-1"), shown);
    assertEquals(4, shown.split("\\[redacted]").length, shown);
  }
}
