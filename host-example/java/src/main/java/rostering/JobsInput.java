package rostering;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/** What differs from the {@link RosteringConfig} in one call. */
public final class JobsInput {
  private static final JobsInput OF_CONFIG = new JobsInput(Map.of());

  private final Map<String, String> fields;

  private JobsInput(Map<String, String> fields) {
    this.fields = fields;
  }

  /** Nothing differs. */
  public static JobsInput ofConfig() {
    return OF_CONFIG;
  }

  public JobsInput withCustomerId(String id) {
    return with("customer_id", id);
  }

  public JobsInput withUserId(String id) {
    return with("user_id", id);
  }

  /** Leaves the header out, whatever the config says. */
  public JobsInput withoutCustomerId() {
    return with("customer_id", null);
  }

  /** Leaves the header out, whatever the config says. */
  public JobsInput withoutUserId() {
    return with("user_id", null);
  }

  private JobsInput with(String name, String id) {
    var more = new TreeMap<>(fields);
    more.put(name, id);
    return new JobsInput(Collections.unmodifiableMap(more));
  }

  Map<String, String> fields() {
    return fields;
  }

  @Override
  public String toString() {
    return "JobsInput" + fields;
  }
}
