package example.automaticrostering;

import com.grack.nanojson.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.HashMap;

/** The store of the tests: each operation is a POST. */
record HttpStore(HttpClient client, String url) implements Store {
  @Override
  public String get(String key) throws IOException, InterruptedException {
    return post("get", key, null, 0).getString("value");
  }

  @Override
  public boolean add(String key, String value, long ttlSeconds)
      throws IOException, InterruptedException {
    return post("add", key, value, ttlSeconds).getBoolean("added");
  }

  @Override
  public void set(String key, String value, long ttlSeconds)
      throws IOException, InterruptedException {
    post("set", key, value, ttlSeconds);
  }

  private JsonObject post(String op, String key, String value, long ttlSeconds)
      throws IOException, InterruptedException {
    var operation = new HashMap<String, Object>();
    operation.put("op", op);
    operation.put("key", key);
    if (value != null) {
      operation.put("value", value);
      operation.put("ttl", ttlSeconds);
    }
    var body = BodyPublishers.ofByteArray(Json.write(operation));
    var request = HttpRequest.newBuilder(URI.create(url)).POST(body).build();
    var response = client.send(request, BodyHandlers.ofByteArray());
    if (response.statusCode() != 200) {
      throw new IOException("the store responded " + response.statusCode());
    }
    return Json.read(response.body());
  }
}
