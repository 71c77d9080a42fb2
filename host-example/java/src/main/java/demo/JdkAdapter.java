package demo;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.extism.sdk.chicory.http.ExtismHttpException;
import org.extism.sdk.chicory.http.HttpClientAdapter;

/** Sends a plugin's requests with the JDK's client, one after the other; the SDK has no client. */
public final class JdkAdapter implements HttpClientAdapter {
  private static final int TIMEOUT_SECONDS = 30;

  // It follows no redirects. HTTP/1.1, because with version 2 the JDK asks plain http servers to
  // upgrade.
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private HttpResponse<byte[]> last;

  @Override
  public byte[] request(String method, URI url, Map<String, String> headers, byte[] body) {
    last = null;
    var publisher = body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body);
    var request = HttpRequest.newBuilder(url).method(method, publisher);
    headers.forEach(request::setHeader);
    var response = CLIENT.sendAsync(request.build(), BodyHandlers.ofByteArray());
    try {
      last = response.copy().orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS).join();
    } catch (CompletionException e) {
      throw new ExtismHttpException(new IOException("no response: " + e.getCause(), e));
    } finally {
      response.cancel(true);
    }
    return last.body();
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
