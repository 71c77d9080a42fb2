package rostering;

/**
 * A store that clients share their token through, in one process or many. The plugin decides what
 * is read and written, and when. Anyone who can read the store has the token.
 *
 * <p>Methods run on the client's own daemon threads, one at a time for most of its calls. A method
 * that throws, or that takes longer than a second, makes that call go on without the store; its
 * thread is then interrupted.
 */
public interface Store {
  /** The value of a key, or null if it is not there or has expired. */
  String get(String key) throws Exception;

  /** Sets a value only if the key is not there, atomically, and returns whether it did. */
  boolean add(String key, String value, long ttlSeconds) throws Exception;

  /** Sets a value, which expires after that time. */
  void set(String key, String value, long ttlSeconds) throws Exception;
}
