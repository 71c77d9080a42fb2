package rostering;

import java.net.URI;
import java.util.List;
import java.util.Map;
import org.extism.sdk.chicory.http.ExtismHttpException;
import org.extism.sdk.chicory.http.HttpClientAdapter;

/** Switches a plugin's own HTTP off. The SDK loads no plugin that can send requests without one. */
final class NoHttp implements HttpClientAdapter {
  @Override
  public byte[] request(String method, URI url, Map<String, String> headers, byte[] body) {
    throw new ExtismHttpException("this plugin may not send requests itself");
  }

  @Override
  public int statusCode() {
    return 0;
  }

  @Override
  public Map<String, List<String>> headers() {
    return Map.of();
  }
}
