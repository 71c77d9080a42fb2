package example.automaticrostering;

import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.params.SetParams;

/**
 * Shares a token through Redis, with your own Jedis client, such as a {@code JedisPooled}, which
 * remains yours to close. Give it timeouts of at most a second. This class needs the optional
 * dependency {@code redis.clients:jedis}.
 */
public final class RedisStore implements Store {
  private final UnifiedJedis redis;

  /** Creates a store. Its threads share the Jedis client. */
  @SuppressWarnings("exports") // "requires transitive" would require it of all modules
  public RedisStore(UnifiedJedis redis) {
    this.redis = RosteringException.notNull(redis, "the Redis client");
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
