package example.automaticrostering;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.LongStream;

/**
 * Measures calls next to the same requests of the JDK's client alone; bench.sh runs it. Each line
 * on standard input is {@code {"who":"library"|"bare","calls":500,"at_once":16,"pause_ms":0}}: so
 * many calls by so many threads, each of which pauses after each call. The response is a line with
 * the CPU time of the process and the time of each call: {@code {"cpu_us":12345,"wall_us":[…]}}.
 */
public final class Bench {
  private record Block(String who, int calls, int atOnce, long pauseMs) {}

  private static final OperatingSystemMXBean PROCESS =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  public static void main(String[] args) throws Exception {
    var config = RosteringConfig.fromEnvironment();
    try (var client = RosteringClient.open(config)) {
      client.listJobs();
      var bare = bare(config, client.getToken());
      var lines = new BufferedReader(new InputStreamReader(System.in, UTF_8)).lines();
      for (var line : (Iterable<String>) lines::iterator) {
        var block = Json.read(line.getBytes(UTF_8), Block.class);
        measure(block, block.who.equals("library") ? client::listJobs : bare);
      }
    }
  }

  private static Callable<?> bare(RosteringConfig config, Token token) {
    var request =
        HttpRequest.newBuilder(URI.create(config.get("base_url") + "/jobs"))
            .header("Authorization", "Bearer " + token.accessToken())
            .header("CUSTOMER_ID", config.get("customer_id"))
            .header("USER_ID", config.get("user_id"))
            .build();
    return () -> {
      var response = RosteringClientBuilder.HTTP_CLIENT.send(request, BodyHandlers.ofByteArray());
      if (response.statusCode() != 200) {
        throw new IllegalStateException("status " + response.statusCode());
      }
      return response.body();
    };
  }

  private static void measure(Block block, Callable<?> call) throws Exception {
    var threads = Executors.newFixedThreadPool(block.atOnce);
    var workers = new ArrayList<Callable<LongStream>>();
    for (var n = 0; n < block.atOnce; n++) {
      var share = block.calls / block.atOnce + (n < block.calls % block.atOnce ? 1 : 0);
      workers.add(() -> times(share, block.pauseMs, call));
    }
    var cpu = PROCESS.getProcessCpuTime();
    var times = LongStream.empty();
    for (var worker : threads.invokeAll(workers)) {
      times = LongStream.concat(times, worker.get());
    }
    cpu = PROCESS.getProcessCpuTime() - cpu;
    threads.shutdown();
    var costs = Map.of("cpu_us", cpu / 1000, "wall_us", times.toArray());
    System.out.println(new String(Json.write(costs), UTF_8));
  }

  private static LongStream times(int calls, long pauseMs, Callable<?> call) throws Exception {
    var times = LongStream.builder();
    for (var n = 0; n < calls; n++) {
      var begun = System.nanoTime();
      call.call();
      times.add((System.nanoTime() - begun) / 1000);
      Thread.sleep(pauseMs);
    }
    return times.build();
  }
}
