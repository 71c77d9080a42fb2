package example.automaticrostering;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.*;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.http.*;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** What Java adds to a program's own requests, which the suite shows. */
class OwnRequestTest extends ServersTest {
  @Test
  void handlerSeesOneResponse() throws Exception {
    var bodies =
        List.of(
            BodyPublishers.noBody(),
            BodyPublishers.ofInputStream(() -> new ByteArrayInputStream("ü".getBytes(UTF_8))));
    for (BodyPublisher body : bodies) {
      refused("no");
      var seen = new ArrayList<Integer>();
      var response =
          client.send(
              HttpRequest.newBuilder(uri).POST(body).build(),
              info -> {
                seen.add(info.statusCode());
                return BodyHandlers.ofString().apply(info);
              });
      assertEquals("ok", response.body());
      assertEquals(List.of(200), seen);
    }
    assertEquals(
        List.of("Bearer token-1 ", "Bearer token-2 ", "Bearer token-3 ü", "Bearer token-4 ü"),
        requests);
  }

  @Test
  void bodyThatMayNotBeRepeatable() throws Exception {
    var text = BodyPublishers.ofString("ü");
    for (var refusal : List.of("", "no", "x".repeat(100_000))) {
      refused(refusal);
      var request = HttpRequest.newBuilder(uri).POST(BodyPublishers.concat(text, text)).build();
      var response = client.send(request, BodyHandlers.ofString());
      assertEquals("401 " + refusal, response.statusCode() + " " + response.body());
    }
    assertEquals(3, requests.size());
  }

  /** Its connection stays usable: the next request goes through it. */
  @Test
  void interruptWhileItWaitsForAnotherToken() throws Exception {
    refused("no");
    var arrived = new CountDownLatch(1);
    tokenEndpoint = exchange -> arrived.countDown();
    var call =
        new Thread(
            () ->
                assertThrows(
                    InterruptedException.class,
                    () ->
                        client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString())));
    call.start();
    arrived.await();
    call.interrupt();
    call.join();
    var plain = HttpRequest.newBuilder(uri).setHeader("Authorization", "mine").build();
    assertEquals("ok", client.send(plain, BodyHandlers.ofString()).body());
    assertEquals(1, peers.size(), peers::toString);
  }

  /** Depending on the version of Java, the read continues or fails; it never hangs. */
  @Test
  void closeWhileABodyIsRead() throws Exception {
    var closed = new CountDownLatch(1);
    service =
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          exchange.getResponseBody().write('a');
          exchange.getResponseBody().flush();
          assertDoesNotThrow(() -> closed.await());
          exchange.getResponseBody().write('b');
          exchange.close();
        };
    var request = HttpRequest.newBuilder(uri).build();
    try (var body = client.send(request, BodyHandlers.ofInputStream()).body()) {
      assertEquals('a', body.read());
      client.close();
      closed.countDown();
      assertEquals("b", new String(body.readAllBytes(), UTF_8));
    } catch (IOException e) { // closed
    }
  }
}
