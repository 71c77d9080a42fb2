package demo;

import example.automaticrostering.RosteringClient;
import example.automaticrostering.RosteringConfig;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

/** A service that calls the rostering service with the library, and with Spring's own clients. */
@SpringBootApplication
public class App {
  public static void main(String[] args) {
    SpringApplication.run(App.class, args);
  }

  @Bean // Spring closes it
  RosteringClient rostering() {
    return RosteringClient.open(RosteringConfig.fromEnvironment());
  }

  @Bean
  RestClient rest(
      RestClient.Builder rest, TokenLayer layer, @Value("${ROSTERING_BASE_URL}") String url) {
    return rest.baseUrl(url).requestInterceptor(layer).build();
  }

  @Bean
  WebClient web(
      WebClient.Builder web, TokenLayer layer, @Value("${ROSTERING_BASE_URL}") String url) {
    return web.baseUrl(url).filter(layer).build();
  }

  @Bean // for readiness, not for liveness
  HealthIndicator rosteringHealth(RosteringClient rostering) {
    return () -> {
      var status = rostering.status();
      var down = status.retryAt().isPresent() && status.tokenExpiresAt().isEmpty();
      return (down ? Health.down() : Health.up()).withDetail("calls", status.calls()).build();
    };
  }

  @RestController
  record Jobs(RosteringClient rostering, RestClient rest, WebClient web) {
    @GetMapping("/jobs")
    String jobs() throws InterruptedException {
      return rostering.listJobs().text();
    }

    @GetMapping("/rest")
    String withRest() {
      return rest.get().uri("/reports/7").retrieve().body(String.class);
    }

    @GetMapping("/web")
    String withWeb() {
      return web.get().uri("/reports/7").retrieve().bodyToMono(String.class).block();
    }
  }
}
