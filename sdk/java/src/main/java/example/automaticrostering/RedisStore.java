package example.automaticrostering;

import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.params.SetParams;

/**
 * A store in Redis, through a Jedis client of yours, such as a {@code JedisPooled}; closing it is
 * yours too. Give it time-outs of at most a second. Needs the optional dependency {@code
 * redis.clients:jedis}.
 */
public final class RedisStore implements Store {
  private final UnifiedJedis redis;

  /** Makes a store. All threads share the Jedis client. */
  public RedisStore(UnifiedJedis redis) {
    this.redis = redis;
  }

  @Override
  public String get(String key) {
    return redis.get(key);
  }

  @Override
  public boolean add(String key, String value, long ttlSeconds) {
    return redis.set(key, value, new SetParams().nx().ex(ttlSeconds)) != null;
  }

  @Override
  public void set(String key, String value, long ttlSeconds) {
    redis.set(key, value, new SetParams().ex(ttlSeconds));
  }
}
