/* Retries. */
#include <string.h>

#include "error.h"
#include "retry.h"
#include "tests.h"

static rostering_error *new_error(bool retryable, int retry_after) {
    rostering_error *error = NULL;
    rostering_fail_with(&error, json_pack("{s:s, s:s, s:b, s:i}", "code", "service_error", "message", "m", "retryable",
                                    retryable, "retry_after", retry_after));
    return error;
}

static rostering_retries new_retries(int64_t timeout_ms) {
    rostering_retries retries;
    rostering_retries_init(&retries, sizeof retries);
    if (timeout_ms != 0) retries.timeout_ms = timeout_ms;
    return retries;
}

static void retry_waits_are_the_servers_or_double(void **state) {
    (void)state;
    static const struct {
        int attempts;
        int retry_after;
        int random;
        int64_t ms;
    } table[] = {
        {0, 0, 0, 1000},
        {0, 0, UINT16_MAX, 1100},
        {3, 0, 0, 8000},
        {5, 0, 0, 30000},
        {1000, 0, UINT16_MAX, 33000},
        {0, 7, 0, 7000},
        {9, 7, UINT16_MAX, 7700},
    };
    rostering_retries retries = new_retries(ROSTERING_NO_TIMEOUT);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        rostering_error *error = new_error(true, table[i].retry_after);
        retries.attempts = table[i].attempts;
        assert_int_equal(rostering_backoff(&retries, error, (uint16_t)table[i].random), table[i].ms);
        rostering_error_free(error);
    }
}

static void retry_returns_the_last_error(void **state) {
    (void)state;
    rostering_retries retries = new_retries(0);
    rostering_error *error = new_error(false, 0), *last = error;
    assert_false(rostering_retry(&retries, &error)); /* it is not retryable */
    assert_ptr_equal(error, last);
    rostering_error_free(error);
    error = last = new_error(true, 61);
    assert_false(rostering_retry(&retries, &error)); /* the wait would end after the minute */
    assert_ptr_equal(error, last);
    retries.timeout_ms = -1;
    assert_false(rostering_retry(&retries, &error));
    want_error(error, ROSTERING_INVALID_INPUT, "timeout_ms");
    retries.size = 0;
    error = new_error(true, 1);
    assert_false(rostering_retry(&retries, &error));
    want_error(error, ROSTERING_INVALID_INPUT, NULL);
}

static void retry_calls_again(void **state) {
    fixture *f = *state;
    rostering_retries retries = new_retries(ROSTERING_NO_TIMEOUT);
    rostering_response *jobs = NULL;
    rostering_error *error = NULL;
    sandbox_fault(f->sandbox, JOBS, "{s:i, s:i}", "status", 503, "requests", 1);
    while (!rostering_list_jobs(f->client, NULL, &jobs, &error) && rostering_retry(&retries, &error)) {
        assert_null(error);
    }
    assert_non_null(jobs);
    assert_null(error);
    rostering_response_free(jobs);
    assert_int_equal(sandbox_requests(f->sandbox, JOBS), 2);
}

static void retry_is_canceled(void **state) {
    (void)state;
    rostering_retries retries = new_retries(ROSTERING_NO_TIMEOUT);
    rostering_error *error = new_error(true, 3600);
    retries.cancel = rostering_cancel_new();
    rostering_cancel_calls(retries.cancel);
    assert_false(rostering_retry(&retries, &error));
    want_error(error, ROSTERING_CANCELED, NULL);
    rostering_cancel_free(retries.cancel);
}

int run_retry_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(retry_waits_are_the_servers_or_double),
        cmocka_unit_test(retry_returns_the_last_error),
        TEST(retry_calls_again),
        cmocka_unit_test(retry_is_canceled),
    };
    return cmocka_run_group_tests_name("retry", tests, NULL, NULL);
}
