package rostering;

import java.net.http.HttpRequest.BodyPublisher;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * The input of one call. It is immutable: each method returns a changed copy.
 *
 * @param <T> the kind of call
 */
public abstract sealed class CallInput<T> permits TokenInput, JobsInput, ServiceRequest {
  /** The input as the plugin reads it, a null for each {@code null}. */
  final Map<String, Object> fields;

  /** Null for the client's. */
  final Duration timeout;

  CallInput(Map<String, Object> fields, Duration timeout) {
    this.fields = Collections.unmodifiableMap(fields);
    this.timeout = timeout;
  }

  /** The time-out of this call in place of the client's; zero for none. */
  public final T withTimeout(Duration timeout) {
    return copy(fields, timeout);
  }

  /** The time of this call, from its beginning to its end, in place of the clock's. */
  public final T withNow(Instant now) {
    return with("now", now.getEpochSecond());
  }

  final T with(String name, Object value) {
    var more = new TreeMap<>(fields);
    more.put(name, value);
    return copy(more, timeout);
  }

  abstract T copy(Map<String, Object> fields, Duration timeout);

  /** The request's body, which the plugin does not see. */
  BodyPublisher body() {
    return null;
  }
}
