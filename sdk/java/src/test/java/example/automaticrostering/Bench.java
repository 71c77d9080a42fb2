package example.automaticrostering;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.*;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Arrays;
import java.util.concurrent.Callable;

/**
 * Compares listJobs with the same request of the JDK's client: alternating batches of calls, and
 * the median of the ratios of each pair.
 */
final class Bench {
  private static final int PAIRS = 31;
  private static final int CALLS = 300;
  private static final OperatingSystemMXBean PROCESS =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  public static void main(String[] args) throws Exception {
    var http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    try (var client =
        RosteringClient.builder(RosteringConfig.fromEnvironment()).httpClient(http).open()) {
      var request =
          HttpRequest.newBuilder(URI.create(System.getenv("ROSTERING_BASE_URL") + "/jobs"))
              .header("Authorization", "Bearer " + client.getToken().accessToken())
              .header("CUSTOMER_ID", System.getenv("ROSTERING_CUSTOMER_ID"))
              .header("USER_ID", System.getenv("ROSTERING_USER_ID"))
              .build();
      Callable<Integer> bare = () -> http.send(request, BodyHandlers.ofByteArray()).statusCode();
      Callable<Integer> library = () -> client.listJobs().status();
      var cpu = new double[PAIRS];
      var time = new double[PAIRS];
      for (var pair = -5; pair < PAIRS; pair++) { // the first warm up
        var isBareFirst = pair % 2 == 0;
        var first = measure(isBareFirst ? bare : library);
        var second = measure(isBareFirst ? library : bare);
        if (pair >= 0) {
          cpu[pair] = isBareFirst ? second[0] / first[0] : first[0] / second[0];
          time[pair] = isBareFirst ? second[1] / first[1] : first[1] / second[1];
        }
      }
      Arrays.sort(cpu);
      Arrays.sort(time);
      System.out.printf(
          "Java: list_jobs next to java.net.http: CPU %.2f, time %.2f%n",
          cpu[PAIRS / 2], time[PAIRS / 2]);
    }
  }

  /** Returns the CPU time and the time of a batch. */
  private static double[] measure(Callable<Integer> call) throws Exception {
    var cpu = PROCESS.getProcessCpuTime();
    var time = System.nanoTime();
    for (var i = 0; i < CALLS; i++) {
      if (call.call() != 200) {
        throw new IllegalStateException("another status than 200");
      }
    }
    return new double[] {PROCESS.getProcessCpuTime() - cpu, System.nanoTime() - time};
  }
}
