package adapter;

import com.fasterxml.jackson.databind.JsonNode;
import example.automaticrostering.*;
import java.net.URI;
import java.net.http.*;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.util.*;
import redis.clients.jedis.JedisPooled;

/** The stores, by their names. */
final class Stores {
  private final Map<String, Store> stores = new HashMap<>();

  synchronized Store open(JsonNode s) throws Exception {
    var name = s.get("name").textValue();
    if (!stores.containsKey(name)) {
      var url = s.get("url").textValue();
      stores.put(
          name,
          switch (url.split(":")[0]) {
            case "memory" -> new MemoryStore();
            case "file" -> new FileStore(Path.of(url.substring(5)));
            case "redis" -> new RedisStore(new JedisPooled(URI.create(url), 1000));
            default -> new Posts(URI.create(url));
          });
    }
    return stores.get(name);
  }

  static Object use(Store store, JsonNode r) throws Exception {
    var key = r.get("key").textValue();
    var value = r.path("value").asText();
    var ttl = r.path("ttl").longValue();
    return switch (r.get("do").textValue()) {
      case "get" -> store.get(key);
      case "add" -> store.add(key, value, ttl);
      default -> {
        store.set(key, value, ttl);
        yield null;
      }
    };
  }

  /** A store of our own: each operation is a POST. */
  private record Posts(URI url) implements Store {
    @Override
    public String get(String key) throws Exception {
      return post(Map.of("op", "get", "key", key)).textValue();
    }

    @Override
    public boolean add(String key, String value, long ttl) throws Exception {
      return post(Map.of("op", "add", "key", key, "value", value, "ttl", ttl)).booleanValue();
    }

    @Override
    public void set(String key, String value, long ttl) throws Exception {
      post(Map.of("op", "set", "key", key, "value", value, "ttl", ttl));
    }

    private JsonNode post(Map<String, ?> operation) throws Exception {
      var body = BodyPublishers.ofByteArray(Adapter.JSON.writeValueAsBytes(operation));
      var request = HttpRequest.newBuilder(url).POST(body).build();
      var response = Adapter.Http.CLIENT.send(request, HttpResponse.BodyHandlers.ofByteArray());
      if (response.statusCode() != 200) {
        throw new AssertionError("the store responded " + response.statusCode());
      }
      return Adapter.JSON.readTree(response.body());
    }
  }
}
