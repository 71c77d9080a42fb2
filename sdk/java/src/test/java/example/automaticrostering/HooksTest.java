package example.automaticrostering;

import static example.automaticrostering.RosteringException.Code.*;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.*;

import example.automaticrostering.RosteringException.Reason;
import java.io.*;
import java.net.*;
import java.net.http.*;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** What programs add to the library, and what they see of its inside. */
class HooksTest extends ServersTest {
  /** A deadlock would time out. */
  @Test
  void logHandlerMayUseAndCloseTheClient() throws Exception {
    var opened = new CompletableFuture<RosteringClient>();
    var isFirst = new AtomicBoolean(true);
    var token = new CompletableFuture<Token>();
    Callable<Token> replaceAndClose =
        () -> {
          try (var client = opened.join()) {
            return client.getToken(TokenOptions.force());
          }
        };
    BiConsumer<System.Logger.Level, String> handler =
        (level, line) -> {
          if (isFirst.getAndSet(false)) {
            assertDoesNotThrow(() -> token.complete(replaceAndClose.call()));
          }
        };
    var client = builder().logger(handler).open();
    opened.complete(client);
    assertEquals(200, client.listJobs().status());
    assertEquals("token-2", token.get().accessToken());
    assertThrows(IllegalStateException.class, client::listJobs);
  }

  /** They could forward the token, and give the identity provider the proxy's password. */
  @Test
  void unsuitableHttpClients() {
    for (var http :
        List.of(
            HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NORMAL),
            HttpClient.newBuilder().authenticator(new Authenticator() {}))) {
      assertThrows(IllegalArgumentException.class, () -> builder().httpClient(http.build()));
    }
  }

  @Test
  void credentialsOfTheProxyGoToItAlone() throws Exception {
    var seen = new CopyOnWriteArrayList<String>();
    BiConsumer<Socket, String> proxy =
        (socket, text) -> {
          seen.add(text);
          var body = "{\"access_token\":\"token\",\"token_type\":\"Bearer\",\"expires_in\":3600}";
          var head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s";
          write(socket, head.formatted(body.length(), body));
        };
    var request = HttpRequest.newBuilder(uri).build();
    try (var server = server(proxy)) {
      var address = new InetSocketAddress("127.0.0.1", server.getLocalPort());
      var http = HttpClient.newBuilder().proxy(ProxySelector.of(address)).build();
      try (var client = builder().httpClient(http).proxyCredentials("me", "pass").open()) {
        client.listJobs();
        client.send(request, BodyHandlers.discarding());
      }
    }
    assertEquals(3, seen.size());
    seen.forEach(
        text -> assertTrue(text.contains("Proxy-Authorization: Basic bWU6cGFzcw=="), text));
    var direct = new CopyOnWriteArrayList<String>();
    service =
        exchange -> {
          direct.addAll(
              exchange.getRequestHeaders().getOrDefault("Proxy-Authorization", List.of()));
          respond(exchange, 200, "{}");
        };
    try (var client = builder().proxyCredentials("me", "pass").open()) {
      client.listJobs();
      client.send(request, BodyHandlers.discarding());
    }
    assertEquals(List.of(), direct);
    for (var user : List.of("a:b", "a\n")) {
      assertThrows(IllegalArgumentException.class, () -> builder().proxyCredentials(user, ""));
    }
  }

  /** Over TLS, the JDK takes no dot after a host. The rules try the other reasons. */
  @Test
  void nameThatIsNotFound() {
    var config = config().authUrl("https://certificates.invalid.:1/a.");
    try (var client = RosteringClient.open(config)) {
      var e = assertCode(NETWORK_ERROR, client::getToken);
      assertEquals(Optional.of(Reason.NAME_RESOLUTION), e.reason(), e::getMessage);
    }
  }

  @Test
  void errorsOfHooksEndNoOtherCall() throws Exception {
    var throwing = new AtomicBoolean(true);
    var proxy =
        new ProxySelector() {
          @Override
          public List<Proxy> select(URI uri) {
            if (throwing.get()) {
              throw new AssertionError("no proxy");
            }
            return List.of(Proxy.NO_PROXY);
          }

          @Override
          public void connectFailed(URI uri, SocketAddress address, IOException e) {}
        };
    var http = HttpClient.newBuilder().proxy(proxy).build();
    try (var client = builder().httpClient(http).open()) {
      assertCode(NETWORK_ERROR, client::listJobs);
      throwing.set(false);
      client.clearToken();
      assertEquals(200, client.listJobs().status());
      throwing.set(true);
      assertCode(NETWORK_ERROR, client::listJobs);
      throwing.set(false);
      assertEquals(200, client.listJobs().status());
    }
    BiConsumer<System.Logger.Level, String> full =
        (level, line) -> {
          throw new AssertionError("the log is full");
        };
    try (var client = builder().logger(full).open()) {
      assertEquals(200, client.listJobs().status());
    }
    throwing.set(true);
    java.time.InstantSource clock =
        () -> {
          if (throwing.get()) {
            throw new AssertionError("no clock");
          }
          return java.time.Instant.now();
        };
    try (var client = builder().clock(clock).open()) {
      assertThrows(AssertionError.class, client::listJobs);
      throwing.set(false);
      assertEquals(200, client.listJobs().status());
      throwing.set(true); // also when it closes
    }
  }

  @Test
  void threadsAreDaemons() throws Exception {
    try (var client = builder().store(new MemoryStore()).open()) {
      client.listJobs();
    }
    for (var thread : Thread.getAllStackTraces().keySet()) {
      assertTrue(thread.isDaemon() || !thread.getName().startsWith("rostering"), thread::toString);
    }
  }

  /** An upgrade to HTTP/2, or one negotiated with TLS: see {@link Http#VERSION}. */
  @Test
  void requestsAreOfHttp1() throws Exception {
    var hello = new CompletableFuture<String>();
    var http = HttpClient.newHttpClient();
    try (var server = server((socket, text) -> hello.complete(text));
        var client =
            RosteringClient.builder(config().authUrl("https://127.0.0.1:" + server.getLocalPort()))
                .httpClient(http)
                .open()) {
      assertCode(NETWORK_ERROR, client::getToken);
    }
    assertFalse(hello.get().contains("\2h2"), "application-layer protocol negotiation");
    try (var client = builder().httpClient(http).open()) {
      client.listJobs();
    }
    client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.discarding());
    assertEquals(List.of(), upgrades);
  }

  @Test
  void ownRequestsShowNoToken() throws Exception {
    BiConsumer<Socket, String> repeats =
        (socket, text) -> {
          var token =
              text.substring(text.indexOf("Bearer"), text.indexOf("\r", text.indexOf("Bearer")));
          write(socket, "HTTP/1.1 " + token + "\r\n\r\n");
        };
    try (var server = server(repeats);
        var client =
            RosteringClient.open(config().baseUrl("http://127.0.0.1:" + server.getLocalPort()))) {
      var uri = URI.create("http://127.0.0.1:" + server.getLocalPort());
      var request = HttpRequest.newBuilder(uri).build();
      var e = assertThrows(IOException.class, () -> client.send(request, BodyHandlers.ofString()));
      assertFalse(e.toString().contains("token-1") || e.getCause() != null, e::toString);
    }
  }

  /** A chunk of one byte may be part of a buffer of 16 KiB: it must not be kept. */
  @Test
  void bodyIsCopied() throws Exception {
    var body = new Http.Body(1000);
    var chunk = new byte[] {1};
    for (byte i = 0; i < 3; i++) {
      chunk[0] = i;
      body.onNext(List.of(ByteBuffer.wrap(chunk)));
    }
    body.onComplete();
    assertArrayEquals(new byte[] {0, 1, 2}, body.getBody().toCompletableFuture().get());
  }

  /** It may quote the request, as an exception of a program's own cookie handler does here. */
  @Test
  void exceptionsOfTheProgramAreNoCauses() throws Exception {
    var cookies =
        new CookieHandler() {
          @Override
          public Map<String, List<String>> get(URI uri, Map<String, List<String>> headers) {
            if (headers.containsKey("Authorization")) {
              throw new IllegalStateException("no cookies for " + headers);
            }
            return Map.of();
          }

          @Override
          public void put(URI uri, Map<String, List<String>> headers) {}
        };
    var http = HttpClient.newBuilder().cookieHandler(cookies).build();
    try (var client = builder().httpClient(http).open()) {
      var e = assertCode(NETWORK_ERROR, client::listJobs);
      assertTrue(e.getCause().getMessage().contains("IllegalStateException"));
      var shown = new StringWriter();
      e.printStackTrace(new PrintWriter(shown));
      assertFalse(shown.toString().contains("token-1"), shown::toString);
    }
  }

  @Test
  void causeIsThatOfTheSameTokenRequest() throws Exception {
    var closed = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    closed.close();
    var config = config().authUrl("http://127.0.0.1:" + closed.getLocalPort());
    var now = java.time.Instant.now();
    try (var client = RosteringClient.builder(config).clock(() -> now).open()) {
      var e = assertCode(NETWORK_ERROR, client::getToken);
      assertInstanceOf(ConnectException.class, e.getCause());
      var stack = List.of(e.getStackTrace()).toString();
      assertTrue(stack.contains(getClass().getName()), "the caller's: " + stack);
      assertNull(assertCode(NETWORK_ERROR, client::getToken).getCause(), "within the backoff");
    }
  }

  private static void assertThrown(Throwable error, Executable call) {
    assertEquals(error.toString(), assertThrows(Throwable.class, call).toString());
  }

  @Test
  void errorsOfTheBody(@TempDir Path folder) throws Exception {
    var mine = new IllegalStateException("mine");
    var throwing =
        BodyPublishers.ofInputStream(
            () -> {
              throw mine;
            });
    var file = Files.createFile(folder.resolve("upload.csv"));
    Files.writeString(file, "a");
    var missing = BodyPublishers.ofFile(file);
    Files.delete(file);
    var absent = assertThrows(IOException.class, () -> new FileInputStream(file.toFile()));
    var request = new ServiceRequest("/").method("POST");
    assertThrown(mine, () -> client.sendRequest(request.body(throwing)));
    var unchecked = new UncheckedIOException(absent);
    assertThrown(unchecked, () -> client.sendRequest(request.body(missing)));
    for (var header : List.of("X-Mine", "Authorization")) {
      var own = HttpRequest.newBuilder(uri).header(header, "mine");
      BiConsumer<Throwable, BodyPublisher> assertSent =
          (error, body) ->
              assertThrown(
                  error, () -> client.send(own.copy().POST(body).build(), BodyHandlers.ofString()));
      assertSent.accept(mine, throwing);
      assertSent.accept(absent, missing);
    }
  }

  /** The network's, after which a handler's result fails, too, may quote the request. */
  @Test
  void errorOfTheNetworkWithinABody() throws Exception {
    try (var server =
            server(
                (socket, text) -> write(socket, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\na"));
        var client =
            RosteringClient.open(config().baseUrl("http://127.0.0.1:" + server.getLocalPort()))) {
      var cut = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.getLocalPort()));
      assertThrown(
          new IOException("no response: java.io.IOException, caused by java.io.EOFException"),
          () -> client.send(cut.build(), BodyHandlers.ofString()));
    }
  }

  @Test
  void errorsOfTheHandler() throws Exception {
    var mine = new IllegalStateException("mine");
    BodyHandler<?> throwing =
        info -> {
          throw mine;
        };
    BodyHandler<?> failing =
        info ->
            BodySubscribers.mapping(
                BodySubscribers.ofString(UTF_8),
                text -> {
                  throw mine;
                });
    var absent = BodyHandlers.ofFile(Path.of("/absent/file"));
    var request = HttpRequest.newBuilder(uri).build();
    for (var status : List.of(200, 401)) {
      client.getToken();
      service = exchange -> respond(exchange, status, "text");
      tokenEndpoint = exchange -> respond(exchange, 400, "{}");
      assertThrown(mine, () -> client.send(request, throwing));
      assertThrown(mine, () -> client.send(request, failing));
      var file = new NoSuchFileException("/absent/file");
      assertThrown(file, () -> client.send(request, absent));
    }
  }
}
