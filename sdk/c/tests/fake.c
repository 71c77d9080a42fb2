/* How a program tests its own code: it defines the functions that it calls, in place of the library's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <rostering.h>

/* The program's code. */
static const char *job_status(const rostering_client *client) {
    rostering_error *error = NULL;
    rostering_response *jobs = rostering_list_jobs(client, ROSTERING_CLIENT_TIMEOUT, NULL, &error);
    const char *status = "unknown";
    if (jobs != NULL) status = strstr(rostering_response_body(jobs), "\"running\"") != NULL ? "running" : "idle";
    if (rostering_error_retryable(error)) status = "try later";
    rostering_response_free(jobs);
    rostering_error_free(error);
    return status;
}

// snippet
static bool fails;

rostering_response *rostering_list_jobs(
    const rostering_client *client, int64_t timeout_ms, const rostering_cancel *cancel, rostering_error **error) {
    const char *jobs = "[{\"id\":\"1\",\"status\":\"running\"}]";
    if (!fails) return rostering_response_new(200, (const uint8_t *)jobs, strlen(jobs));
    *error = rostering_error_new(ROSTERING_CODE_SERVICE_ERROR, "busy", 503, true);
    return NULL;
}
// end of snippet

static void fake(void **state) {
    (void)state;
    assert_string_equal(job_status(NULL), "running");
    fails = true;
    assert_string_equal(job_status(NULL), "try later");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
