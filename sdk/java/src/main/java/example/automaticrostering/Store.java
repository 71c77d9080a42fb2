package example.automaticrostering;

/**
 * A store that clients share their token through, in one process or many. The plugin decides what
 * is read and written, and when. Anyone who can read the store has the token.
 *
 * <p>Methods run on the client's own daemon threads, one at a time for most of its calls. A method
 * that throws, or that takes longer than a second, makes that call go on without the store; its
 * thread is then interrupted.
 */
public interface Store {
  /**
   * Reads a value.
   *
   * @param key at most 512 visible ASCII characters
   * @return the value, or null if it is not there or has expired
   * @throws Exception if the store fails
   */
  String get(String key) throws Exception;

  /**
   * Sets a value only if the key is not there, atomically.
   *
   * @param key at most 512 visible ASCII characters
   * @param value a text
   * @param ttlSeconds how long the value is kept
   * @return whether it was set
   * @throws Exception if the store fails
   */
  boolean add(String key, String value, long ttlSeconds) throws Exception;

  /**
   * Sets a value.
   *
   * @param key at most 512 visible ASCII characters
   * @param value a text
   * @param ttlSeconds how long the value is kept
   * @throws Exception if the store fails
   */
  void set(String key, String value, long ttlSeconds) throws Exception;
}
