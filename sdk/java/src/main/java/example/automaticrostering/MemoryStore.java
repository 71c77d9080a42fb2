package example.automaticrostering;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;

/** Shares a token among the clients of one process, in memory. */
public final class MemoryStore implements Store {
  private record Entry(String value, long expiresAtNanos) {
    static Entry of(String value, long ttlSeconds) {
      return new Entry(value, System.nanoTime() + TimeUnit.SECONDS.toNanos(ttlSeconds));
    }

    boolean isLive() {
      return expiresAtNanos - System.nanoTime() > 0;
    }
  }

  /** Creates an empty store. */
  public MemoryStore() {}

  private final ConcurrentMap<String, Entry> entries = new ConcurrentHashMap<>();

  @Override
  public String get(String key) {
    var entry = entries.computeIfPresent(key, (k, old) -> old.isLive() ? old : null);
    return entry == null ? null : entry.value;
  }

  @Override
  public boolean add(String key, String value, long ttlSeconds) {
    var added = Entry.of(value, ttlSeconds);
    return entries.compute(key, (k, old) -> old == null || !old.isLive() ? added : old) == added;
  }

  @Override
  public void set(String key, String value, long ttlSeconds) {
    entries.put(key, Entry.of(value, ttlSeconds));
  }
}
