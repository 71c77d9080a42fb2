package rostering;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Sends requests with the JDK's client. */
final class JdkHttp {
  private JdkHttp() {}

  /** A client that follows no redirects, as is the JDK's default. */
  static HttpClient defaultClient() {
    // HTTP/1.1, because with version 2 the JDK asks plain http servers to upgrade.
    return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  }

  /** A redirect of the token request could hand the client's secret to another host. */
  static HttpClient requireNoRedirects(HttpClient client) {
    if (client.followRedirects() != HttpClient.Redirect.NEVER) {
      throw new IllegalArgumentException("the HTTP client must not follow redirects");
    }
    return client;
  }

  /**
   * Sends a request and waits for the whole answer.
   *
   * @throws IOException if none came, with the reason as its message
   */
  static HttpResponse<byte[]> send(
      HttpClient client,
      String method,
      String url,
      Map<String, String> headers,
      byte[] body,
      Deadline deadline)
      throws IOException, InterruptedException {
    try {
      var publisher = body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body);
      var request = HttpRequest.newBuilder(Uris.of(url)).method(method, publisher);
      headers.forEach(request::setHeader);
      return send(client, request.build(), deadline);
    } catch (IllegalArgumentException e) { // no URL, or a header that the JDK sets itself
      throw lost(e);
    }
  }

  /** HttpRequest's own time-out would end with the answer's headers. */
  private static HttpResponse<byte[]> send(
      HttpClient client, HttpRequest request, Deadline deadline)
      throws IOException, InterruptedException {
    var answer = client.sendAsync(request, BodyHandlers.ofByteArray());
    try {
      return answer.get(deadline.nanosLeft(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw lost(e.getCause());
    } catch (TimeoutException e) {
      throw lost(new HttpTimeoutException("the call's time is over"));
    } finally {
      answer.cancel(true);
    }
  }

  /** The JDK's own exceptions often say nothing; their causes do. */
  private static IOException lost(Throwable thrown) {
    var reasons = new LinkedHashSet<String>();
    for (var t = thrown; t != null; t = t.getCause()) {
      reasons.add(t.toString());
    }
    return new IOException(String.join(", caused by ", reasons), thrown);
  }
}
