/* Requests that get no answer. */
#include <stdlib.h>
#include <string.h>

#include "tests.h"

static void lost_jobs_request_leaves_the_token(void **state) {
    fixture *f = *state;
    want_jobs(f, "[1]");
    service_answer_jobs(f->service, &(answer){0});
    rostering_error *error = want_jobs_error(f, ROSTERING_NETWORK_ERROR);
    assert_true(error->retryable);
    if (f->drives) {
        assert_non_null(strstr(error->message, "libcurl "));
    } else {
        assert_non_null(error->cause);
    }
    rostering_error_free(error);
    service_answer_jobs(f->service, NULL);
    want_jobs(f, "[1]");
    assert_int_equal(service_token_requests(f->service), 1);
}

static void lost_token_request_is_not_repeated_at_once(void **state) {
    fixture *f = *state;
    service_answer_token(f->service, &(answer){0});
    rostering_error *lost = want_jobs_error(f, ROSTERING_NETWORK_ERROR);
    rostering_error *waiting = want_jobs_error(f, ROSTERING_NETWORK_ERROR);
    assert_int_equal(lost->cause != NULL, !f->drives); /* libextism's words, or the plugin's own error */
    assert_null(waiting->cause);
    assert_int_equal(waiting->retry_after, 1);
    assert_int_equal(service_token_requests(f->service), 1);
    rostering_error_free(lost);
    rostering_error_free(waiting);
}

static void time_out_leaves_the_token(void **state) {
    fixture *f = *state;
    f->config.timeout_ms = 2000;
    reopen(f);
    want_jobs(f, "[1]");
    service_answer_jobs(f->service, &(answer){.status = 200});
    rostering_error *error = want_jobs_error(f, ROSTERING_NETWORK_ERROR);
    assert_true(error->retryable);
    rostering_error_free(error);
    service_answer_jobs(f->service, NULL);
    want_jobs(f, "[1]");
    assert_int_equal(service_token_requests(f->service), 1);
}

static void secret_is_not_in_the_error(void **state) {
    fixture *f = *state;
    service_answer_token(f->service, &(answer){0});
    rostering_error *error = want_jobs_error(f, ROSTERING_NETWORK_ERROR);
    char *text = printed(error);
    assert_null(strstr(text, "s3cr3t-of-the-test"));
    assert_true(error->cause == NULL || strstr(error->cause, "s3cr3t-of-the-test") == NULL);
    free(text);
    rostering_error_free(error);
}

int run_network_tests(void) {
    const struct CMUnitTest tests[] = {
        BOTH(lost_jobs_request_leaves_the_token),
        BOTH(lost_token_request_is_not_repeated_at_once),
        BOTH(time_out_leaves_the_token),
        BOTH(secret_is_not_in_the_error),
    };
    return cmocka_run_group_tests_name("network", tests, NULL, NULL);
}
