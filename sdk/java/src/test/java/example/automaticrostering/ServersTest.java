package example.automaticrostering;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.*;

import com.sun.net.httpserver.*;
import java.io.IOException;
import java.net.*;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.function.Executable;

/** A token endpoint, which gives token-1, token-2, …, a service, and a client of both. */
abstract class ServersTest {
  final List<String> requests = new CopyOnWriteArrayList<>(); // tokens and bodies
  final List<String> upgrades = new CopyOnWriteArrayList<>(); // that were asked for
  final Set<InetSocketAddress> peers = ConcurrentHashMap.newKeySet(); // of the service
  private final AtomicInteger tokens = new AtomicInteger();
  volatile HttpHandler service = exchange -> respond(exchange, 200, "{}");
  volatile HttpHandler tokenEndpoint =
      exchange -> {
        var token = "{\"access_token\":\"token-%d\",\"token_type\":\"Bearer\",\"expires_in\":3600}";
        respond(exchange, 200, token.formatted(tokens.incrementAndGet()));
      };
  RosteringClient client;
  URI uri;
  final ExecutorService threads = Executors.newCachedThreadPool();
  private HttpServer auth;
  private HttpServer server;

  static {
    System.setProperty("sun.net.httpserver.nodelay", "true"); // or each response takes 40 ms
  }

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    auth = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    auth.setExecutor(threads);
    auth.createContext("/connect/token", exchange -> tokenEndpoint.handle(exchange));
    server.createContext(
        "/",
        exchange -> {
          var body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
          peers.add(exchange.getRemoteAddress());
          upgrades.addAll(exchange.getRequestHeaders().getOrDefault("Upgrade", List.of()));
          requests.add(exchange.getRequestHeaders().getFirst("Authorization") + " " + body);
          service.handle(exchange);
        });
    auth.start();
    server.start();
    uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/jobs");
    client = builder().open();
  }

  @AfterEach
  void stop() {
    client.close(Duration.ZERO);
    auth.stop(0);
    server.stop(0);
    threads.shutdownNow();
  }

  RosteringConfig config() {
    return new RosteringConfig()
        .environment(RosteringConfig.Environment.STAGE)
        .authUrl("http://127.0.0.1:" + auth.getAddress().getPort())
        .baseUrl(uri.resolve("/").toString())
        .clientId("id")
        .clientSecret("the-secret")
        .customerId("customer")
        .userId("user");
  }

  RosteringClientBuilder builder() {
    return RosteringClient.builder(config());
  }

  static void respond(HttpExchange exchange, int status, String body) throws IOException {
    var bytes = body.getBytes(UTF_8);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  /** Returns a token that is no replacement. The service refuses it from now on. */
  String refused(String refusal) throws InterruptedException {
    client.clearToken();
    var given = client.getToken();
    client.setToken(given); // one that it requested would stay for a while
    var token = given.accessToken();
    service =
        exchange -> {
          var isRefused = requests.get(requests.size() - 1).startsWith("Bearer " + token + " ");
          respond(exchange, isRefused ? 401 : 200, isRefused ? refusal : "ok");
        };
    return token;
  }

  /** Has the service not respond any more; the result waits for a request. */
  CountDownLatch hold() {
    var arrived = new CountDownLatch(1);
    service = exchange -> arrived.countDown();
    return arrived;
  }

  /** Responds once to each connection, with what it gets, and closes it. */
  static ServerSocket server(BiConsumer<Socket, String> responds) throws IOException {
    var server = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    Threads.daemon(
            "server",
            () -> {
              while (!server.isClosed()) {
                try (var socket = server.accept()) {
                  var bytes = new byte[8192];
                  var read = socket.getInputStream().read(bytes);
                  responds.accept(socket, new String(bytes, 0, Math.max(0, read), ISO_8859_1));
                } catch (IOException e) { // it left
                }
              }
            })
        .start();
    return server;
  }

  static void write(Socket socket, String text) {
    assertDoesNotThrow(() -> socket.getOutputStream().write(text.getBytes(UTF_8)));
  }

  static RosteringException assertCode(RosteringException.Code code, Executable call) {
    var e = assertThrows(RosteringException.class, call);
    assertEquals(code, e.code(), e::getMessage);
    return e;
  }
}
