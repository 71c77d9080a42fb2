#include "retry.h"

#include <sys/random.h>

#include "struct.h"
#include "wait.h"

enum { FIRST_WAIT_MS = 1000, LONGEST_WAIT_MS = 30000, DOUBLINGS = 5 };

int64_t rostering_backoff(const rostering_retries *retries, const rostering_error *error, uint16_t random) {
    if (!error->retryable) return -1;
    int64_t ms = retries->attempts < DOUBLINGS ? FIRST_WAIT_MS << retries->attempts : LONGEST_WAIT_MS;
    if (error->retry_after > 0) ms = error->retry_after * 1000;
    ms += ms * random / (10 * UINT16_MAX);
    if (retries->timeout_ms == ROSTERING_NO_TIMEOUT) return ms;
    return rostering_now_ms() - retries->began_ms + ms <= retries->timeout_ms ? ms : -1;
}

bool rostering_retry(rostering_retries *given, rostering_error **error) {
    rostering_retries retries;
    rostering_error *mistake = NULL;
    rostering_retries_init(&retries, sizeof retries);
    bool valid = ROSTERING_READ(&retries, given, "retries", ROSTERING_INVALID_INPUT, &mistake);
    if (valid && retries.timeout_ms <= 0) {
        valid = rostering_fail(&mistake, ROSTERING_INVALID_INPUT, "timeout_ms",
            "timeout_ms must be positive; for no timeout, use ROSTERING_NO_TIMEOUT");
    }
    if (!valid) {
        rostering_error_free(*error);
        return rostering_pass(error, mistake);
    }
    uint16_t random = 0;
    if (getrandom(&random, sizeof random, 0) < 0) random = 0;
    int64_t ms = rostering_backoff(&retries, *error, random);
    if (ms < 0) return false;
    given->attempts++;
    const rostering_limits limits = {.deadline = rostering_deadline(ms), .cancel = retries.cancel};
    bool canceled = rostering_wait(NULL, &limits) == ROSTERING_END_CANCELED;
    rostering_error_free(*error);
    *error = NULL;
    return !canceled || rostering_fail(error, ROSTERING_CANCELED, NULL, "the call was canceled");
}
