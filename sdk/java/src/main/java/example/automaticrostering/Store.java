package example.automaticrostering;

import org.jspecify.annotations.Nullable;

/**
 * Stores the token that clients share, in one process or many. The plugin decides what is read and
 * written, and when. Anyone who can read the store has the token.
 *
 * <p>Methods run on the client's own daemon threads, one at a time for most of its calls. A method
 * that throws, or that takes longer than a second, makes that call continue without the store; its
 * thread is then interrupted. A key has at most 512 visible ASCII characters.
 */
@SuppressWarnings("exports") // org.jspecify is for tools
public interface Store {
  /** {@return the value of a key, or null if it is missing or has expired} */
  @Nullable String get(String key) throws Exception;

  /** Sets a value only if the key is missing, atomically, and returns whether it did. */
  boolean add(String key, String value, long ttlSeconds) throws Exception;

  /** Sets a value. */
  void set(String key, String value, long ttlSeconds) throws Exception;
}
