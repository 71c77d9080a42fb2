package rostering;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a call says beside the {@link RosteringConfig}. It does not change: each method gives
 * another one.
 *
 * @param <T> the call's own kind
 */
public abstract sealed class CallInput<T extends CallInput<T>> permits JobsInput, ServiceRequest {
  private final Map<String, Object> fields;

  CallInput(Map<String, Object> fields) {
    this.fields = Collections.unmodifiableMap(fields);
  }

  public T withCustomerId(String id) {
    return with("customer_id", id);
  }

  public T withUserId(String id) {
    return with("user_id", id);
  }

  /** Leaves the header out, whatever the config says. */
  public T withoutCustomerId() {
    return with("customer_id", null);
  }

  /** Leaves the header out, whatever the config says. */
  public T withoutUserId() {
    return with("user_id", null);
  }

  T with(String name, Object value) {
    var more = new TreeMap<>(fields);
    more.put(name, value);
    return copy(more);
  }

  abstract T copy(Map<String, Object> fields);

  /** The input as the plugin reads it. */
  Map<String, Object> fields() {
    return fields;
  }
}
