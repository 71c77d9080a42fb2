package example.automaticrostering;

import com.grack.nanojson.JsonObject;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;

/**
 * A request of the plugin. Calls share it.
 *
 * @param text the body of a token request
 */
record Request(HttpRequest.Builder template, String method, String text) {
  static Request of(JsonObject fields) {
    var uri = withoutDot(URI.create(fields.getString("url")));
    var template =
        HttpRequest.newBuilder(uri).version(Http.VERSION).setHeader("User-Agent", Http.USER_AGENT);
    fields.getObject("headers").forEach((name, value) -> template.setHeader(name, (String) value));
    return new Request(template, fields.getString("method"), fields.getString("body"));
  }

  HttpRequest.Builder forToken() {
    return template.copy().method(method, BodyPublishers.ofString(text));
  }

  HttpRequest.Builder with(Token token, BodyPublisher body) {
    return template.copy().setHeader("Authorization", token.header()).method(method, body);
  }

  /** Removes the dot at the end of a host, with which the JDK sends nothing over TLS. */
  static URI withoutDot(URI uri) {
    var hasDot = uri.getHost().endsWith(".") && uri.getScheme().equalsIgnoreCase("https");
    return hasDot ? URI.create(uri.toString().replaceFirst("[.](?=[:/?#]|$)", "")) : uri;
  }
}
