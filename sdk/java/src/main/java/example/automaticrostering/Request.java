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
    var uri = URI.create(fields.getString("url"));
    var template =
        HttpRequest.newBuilder(uri).version(Http.VERSION).setHeader("User-Agent", Http.USER_AGENT);
    fields.getObject("headers").forEach((name, value) -> template.setHeader(name, (String) value));
    return new Request(template, fields.getString("method"), fields.getString("body"));
  }

  HttpRequest forToken() {
    return template.copy().method(method, BodyPublishers.ofString(text)).build();
  }

  HttpRequest with(Token token, BodyPublisher body) {
    return template.copy().setHeader("Authorization", token.header()).method(method, body).build();
  }
}
