package example.automaticrostering;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Runs the work of a blocking call in its caller's thread, because the JDK's client takes several
 * times as long to send a request in its own threads.
 */
final class CallerThread implements Executor {
  /** Runs the work of calls that do not block: in the common pool, or in threads of its own. */
  static final Executor NONE = new CompletableFuture<Void>().defaultExecutor();

  private final LinkedBlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();

  @Override
  public void execute(Runnable task) {
    tasks.add(task);
  }

  /** Works until there is a result, which an interrupt cancels. */
  <T> T await(CompletableFuture<T> result) throws InterruptedException, ExecutionException {
    result.whenComplete((r, e) -> execute(() -> {}));
    try {
      while (!result.isDone()) {
        tasks.take().run();
      }
    } catch (InterruptedException e) {
      result.cancel(true);
      throw e;
    }
    return result.get();
  }

  /** Something that throws. */
  interface Work<T> {
    T run() throws Exception;
  }

  /** Sends a request here. An interrupt ends {@link #await}. */
  static <T> CompletableFuture<T> run(Work<T> send) {
    try {
      return CompletableFuture.completedFuture(send.run());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new CompletableFuture<>();
    } catch (Throwable e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}
