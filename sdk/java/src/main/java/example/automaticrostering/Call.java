package example.automaticrostering;

/** A call in progress. */
final class Call extends Work {
  private final Driver driver;
  private final long timeout;

  /** The time of {@link Calls#now} at which it times out. */
  final long deadline;

  /** Whether there is a response, which is the caller's even if the deadline passes. */
  private volatile boolean hasResponse;

  /** Begins a call, which must be run or started. */
  Call(Driver driver, long timeout) {
    this.driver = driver;
    this.timeout = timeout;
    deadline = Calls.after(timeout);
    driver.calls.add(this);
  }

  /** Does what the call is for, and waits for what the process must not be frozen in. */
  <T> T settled(Client.Use<T> use) throws InterruptedException {
    try {
      return use.of(this);
    } finally {
      responded();
      driver.holder.settle(deadline - Calls.now());
    }
  }

  void responded() {
    hasResponse = true;
  }

  /** The call waits again. */
  void continues() {
    hasResponse = false;
    timeOut();
    check();
  }

  /** Ends the call if it is late. */
  void timeOut() {
    if (deadline <= Calls.now() && !hasResponse) {
      end(
          () ->
              RosteringException.ofNetwork(
                  "the call timed out after " + timeout / 1e9 + " s: retry, or raise its timeout",
                  true));
    }
  }

  @Override
  void over() {
    super.over();
    driver.calls.remove(this);
    driver.log.flush();
  }
}
