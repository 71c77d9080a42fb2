package rostering;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.extism.sdk.chicory.http.ExtismHttpException;
import org.extism.sdk.chicory.http.HttpClientAdapter;

/**
 * Sends an Extism plugin's requests with the JDK's client. The SDK brings none of its own. One
 * adapter belongs to one instance of a plugin, and is no more thread-safe than that.
 */
public final class HttpAdapter implements HttpClientAdapter {
  private final HttpClient client;
  private final Duration timeout;
  private long deadline;
  private HttpResponse<byte[]> last;

  /**
   * @param client sends the requests; it must not follow redirects
   * @param timeout bounds all requests of one call together
   */
  public HttpAdapter(HttpClient client, Duration timeout) {
    if (client.followRedirects() != HttpClient.Redirect.NEVER) {
      // A redirect of the token request could hand the client's secret to another host: the
      // SDK does not hold it against the allowed hosts.
      throw new IllegalArgumentException("the HTTP client must not follow redirects");
    }
    this.client = client;
    this.timeout = timeout;
    startCall();
  }

  /** A client that follows no redirects, as is the JDK's default. */
  public static HttpClient defaultClient() {
    // HTTP/1.1, because with version 2 the JDK asks plain http servers to upgrade.
    return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  }

  /** Starts the time-out anew; to be called before each call of the plugin. */
  public void startCall() {
    deadline = System.nanoTime() + timeout.toNanos();
  }

  @Override
  public byte[] request(String method, URI url, Map<String, String> headers, byte[] body) {
    last = null;
    var publisher = body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body);
    var request = HttpRequest.newBuilder(url).method(method, publisher);
    headers.forEach(request::setHeader);
    last = send(request.build());
    return last.body();
  }

  /** Waits for the whole answer: HttpRequest's own time-out ends with the answer's headers. */
  private HttpResponse<byte[]> send(HttpRequest request) {
    var answer = client.sendAsync(request, BodyHandlers.ofByteArray());
    try {
      return answer.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw failed(request, e.getCause());
    } catch (TimeoutException e) {
      throw failed(request, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed(request, e);
    } finally {
      answer.cancel(true);
    }
  }

  private static ExtismHttpException failed(HttpRequest request, Throwable cause) {
    var message = request.method() + " to " + request.uri().getAuthority() + " got no answer";
    return new ExtismHttpException(new IOException(message + ": " + cause, cause));
  }

  @Override
  public int statusCode() {
    return last == null ? 0 : last.statusCode();
  }

  @Override
  public Map<String, List<String>> headers() {
    return last == null ? Map.of() : last.headers().map();
  }
}
