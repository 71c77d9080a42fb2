/** A client for Automatic Rostering. */
module example.automaticrostering {
  requires transitive java.net.http;
  requires com.grack.nanojson;
  requires run.endive.runtime;
  requires static org.jspecify;

  // TLS finds it by reflection, and jlink by this.
  requires jdk.crypto.ec;

  // Only for RedisStore, whose users require it themselves.
  requires static redis.clients.jedis;

  exports example.automaticrostering;
}
