package rostering;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.extism.sdk.chicory.http.ExtismHttpException;
import org.extism.sdk.chicory.http.HttpClientAdapter;

/**
 * Sends an Extism plugin's requests with the JDK's client. The SDK brings none of its own. One
 * adapter belongs to one instance of a plugin, and is no more thread-safe than that.
 */
public final class HttpAdapter implements HttpClientAdapter {
  private final HttpClient client;
  private final Duration timeout;
  private Deadline deadline;
  private HttpResponse<byte[]> last;

  /**
   * @param client sends the requests; it must not follow redirects, because the SDK does not hold
   *     them against the allowed hosts
   * @param timeout bounds all requests of one call together
   */
  public HttpAdapter(HttpClient client, Duration timeout) {
    this.client = JdkHttp.requireNoRedirects(client);
    this.timeout = timeout;
    startCall();
  }

  /** A client that follows no redirects, as is the JDK's default. */
  public static HttpClient defaultClient() {
    return JdkHttp.defaultClient();
  }

  /** Starts the time-out anew; to be called before each call of the plugin. */
  public void startCall() {
    deadline = Deadline.in(timeout);
  }

  @Override
  public byte[] request(String method, URI url, Map<String, String> headers, byte[] body) {
    last = null;
    try {
      last = JdkHttp.send(client, method, url.toString(), headers, body, deadline);
    } catch (IOException e) {
      throw failed(method, url, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed(method, url, e);
    }
    return last.body();
  }

  private static ExtismHttpException failed(String method, URI url, Exception cause) {
    var message =
        "%s to %s got no answer: %s".formatted(method, url.getAuthority(), cause.getMessage());
    return new ExtismHttpException(new IOException(message, cause));
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
