package rostering;

import java.util.Map;

/** What differs from the {@link RosteringConfig} in one call. */
public final class JobsInput extends CallInput<JobsInput> {
  private static final JobsInput OF_CONFIG = new JobsInput(Map.of());

  private JobsInput(Map<String, Object> fields) {
    super(fields);
  }

  /** Nothing differs. */
  public static JobsInput ofConfig() {
    return OF_CONFIG;
  }

  @Override
  JobsInput copy(Map<String, Object> fields) {
    return new JobsInput(fields);
  }

  @Override
  public String toString() {
    return "JobsInput" + fields();
  }
}
