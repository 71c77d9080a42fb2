package example.automaticrostering;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.*;

import java.io.ByteArrayInputStream;
import java.net.http.*;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the JDK's client adds to requests with the token, which the suite shows. */
class AuthorizeTest extends ServersTest {
  private HttpClient http;

  @BeforeEach
  void authorize() {
    http = client.authorize(HttpClient.newHttpClient());
  }

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
          http.send(
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
      var response = http.send(request, BodyHandlers.ofString());
      assertEquals("401 " + refusal, response.statusCode() + " " + response.body());
    }
    assertEquals(3, requests.size());
  }

  @Test
  void clientThatFollowsRedirectsIsRefused() {
    for (var follows : List.of(Redirect.NORMAL, Redirect.ALWAYS)) {
      var plain = HttpClient.newBuilder().followRedirects(follows).build();
      assertThrows(IllegalArgumentException.class, () -> client.authorize(plain));
      assertThrows(IllegalArgumentException.class, () -> builder().httpClient(plain));
    }
  }
}
