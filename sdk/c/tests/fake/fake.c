/* Shows how a program tests its own code: it is linked with functions of the same signatures in place of the library.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <rostering.h>

/* The program's code. */
static const char *job_status(rostering_client *client) {
    rostering_response *response;
    rostering_error *error;
    const char *status = "unknown";
    if (rostering_list_jobs(client, NULL, &response, &error)) {
        status = strstr(response->body, "\"running\"") != NULL ? "running" : "idle";
        rostering_response_free(response);
    } else {
        if (error->retryable) status = "try later";
        rostering_error_free(error);
    }
    return status;
}

// snippet
static rostering_response jobs = {.status = 200, .body = "[{\"id\":\"1\",\"status\":\"running\"}]"};
static rostering_error busy = {.code = ROSTERING_SERVICE_ERROR, .status = 503, .retryable = true};
static bool fails;

bool rostering_list_jobs(rostering_client *c, const rostering_call *call, rostering_response **r, rostering_error **e) {
    *r = fails ? NULL : &jobs;
    *e = fails ? &busy : NULL;
    return !fails;
}
void rostering_response_free(rostering_response *r) {
}
void rostering_error_free(rostering_error *e) {
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
