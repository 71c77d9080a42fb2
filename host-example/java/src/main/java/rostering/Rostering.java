package rostering;

/**
 * The calls of the plugin. {@link RosteringClient} lets the plugin send its requests through the
 * SDK, {@link RosteringDriver} sends them itself; README.md tells which to choose. Threads may
 * share either.
 *
 * <p>Each call throws {@link RosteringException} if it fails, and InterruptedException if its
 * thread is interrupted while it waits. The instance and its token stay usable then.
 */
public interface Rostering extends AutoCloseable {
  /** Lists the jobs of the config's customer and user: the service's answer, byte for byte. */
  default byte[] listJobs() throws InterruptedException {
    return listJobs(JobsInput.ofConfig());
  }

  /** Lists the jobs of another customer or user. */
  byte[] listJobs(JobsInput input) throws InterruptedException;

  /** Sends a request to another path of the service, and gives its answer, byte for byte. */
  byte[] sendRequest(ServiceRequest request) throws InterruptedException;

  /** The token that the plugin has, or a new one, for requests of your own. */
  Token getToken() throws InterruptedException;

  /** Asks for a new token in any case. If that fails, the plugin keeps the one it has. */
  Token renewToken() throws InterruptedException;

  /**
   * Takes a token that {@link #getToken} gave, here or elsewhere, so that none is asked for. It
   * costs nothing if the plugin has it already. A token of another client, scope or token URL, or
   * one that has expired, is {@link RosteringException#TOKEN_MISMATCH}.
   */
  void setToken(Token token) throws InterruptedException;

  /** Forgets the token, and the wait after failures. */
  void clearToken() throws InterruptedException;

  /**
   * Calls throw IllegalStateException from now on; those under way end as they would. The garbage
   * collector takes the instance and its token together with the client.
   */
  @Override
  void close();
}
