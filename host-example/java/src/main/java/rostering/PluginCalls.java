package rostering;

import java.util.Map;
import org.extism.sdk.chicory.ExtismFunctionException;
import org.extism.sdk.chicory.http.ExtismHttpException;

/** What the two forms share: the plugin's inputs, outputs and errors. */
abstract class PluginCalls implements Rostering {
  private volatile boolean closed;

  /** Makes a call that may need requests. */
  abstract byte[] call(String call, Map<String, ?> input) throws InterruptedException;

  /** Calls an export that needs none. */
  abstract byte[] tell(String export, Map<String, ?> input) throws InterruptedException;

  @Override
  public byte[] listJobs(JobsInput input) throws InterruptedException {
    return explained(() -> call("list_jobs", input.fields()));
  }

  @Override
  public byte[] sendRequest(ServiceRequest request) throws InterruptedException {
    return explained(() -> call("send_request", request.fields()));
  }

  @Override
  public Token getToken() throws InterruptedException {
    return Token.read(explained(() -> call("get_token", Map.of())));
  }

  @Override
  public Token renewToken() throws InterruptedException {
    return Token.read(explained(() -> call("get_token", Map.of("force", true))));
  }

  @Override
  public void setToken(Token token) throws InterruptedException {
    explained(() -> tell("set_token", token.fields()));
  }

  @Override
  public void clearToken() throws InterruptedException {
    explained(() -> tell("clear_token", Map.of()));
  }

  @Override
  public void close() {
    closed = true;
  }

  private interface Call {
    byte[] make() throws InterruptedException;
  }

  private byte[] explained(Call call) throws InterruptedException {
    if (closed) {
      throw new IllegalStateException("the client is closed");
    }
    try {
      return call.make();
    } catch (ExtismFunctionException e) {
      throw RosteringException.ofPlugin(e.getError(), e);
    } catch (ExtismHttpException e) {
      throwIfInterrupted();
      throw RosteringException.ofLostRequest(e);
    } catch (RosteringException e) {
      throw e;
    } catch (RuntimeException e) {
      throwIfInterrupted();
      throw new IllegalStateException("the plugin failed: " + e.getMessage(), e);
    }
  }

  /** An interrupt ends a request, and then the plugin, with exceptions of the SDK. */
  private static void throwIfInterrupted() throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException("a call of the rostering plugin was interrupted");
    }
  }
}
