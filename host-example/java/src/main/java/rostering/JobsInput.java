package rostering;

import java.time.Duration;
import java.util.Map;

/** The input of {@link Rostering#listJobs(JobsInput)}. */
public final class JobsInput extends CallInput<JobsInput> {
  private JobsInput(Map<String, Object> fields, Duration timeout) {
    super(fields, timeout);
  }

  /** The customer and user of the config. */
  public static JobsInput ofConfig() {
    return new JobsInput(Map.of(), null);
  }

  /** Another customer than the config's; null leaves the header out. */
  public JobsInput withCustomerId(String id) {
    return with("customer_id", id);
  }

  /** Another user than the config's; null leaves the header out. */
  public JobsInput withUserId(String id) {
    return with("user_id", id);
  }

  @Override
  JobsInput copy(Map<String, Object> fields, Duration timeout) {
    return new JobsInput(fields, timeout);
  }
}
