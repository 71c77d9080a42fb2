/* Listing the jobs, also from many threads. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests.h"

static void first_call_asks_for_a_token_and_the_next_does_not(void **state) {
    fixture *f = *state;
    want_jobs(f, "[1]");
    assert_int_equal(service_token_requests(f->service), 1);
    want_jobs(f, "[1]");
    assert_int_equal(service_token_requests(f->service), 1);
    want_line(f, "GET /jobs HTTP/1.1");
    want_line(f, "Authorization: Bearer a-token-of-the-test-1");
    want_line(f, "CUSTOMER_ID: customer");
    want_line(f, "USER_ID: user");
}

static void body_comes_byte_for_byte(void **state) {
    fixture *f = *state;
    static const char bytes[] = "\0\xff[\0]";
    service_answer_jobs(f->service, &(answer){.status = 200, .body = bytes, .length = sizeof bytes});
    rostering_body jobs;
    assert_null(rostering_list_jobs(f->client, NULL, &jobs));
    assert_int_equal(jobs.length, sizeof bytes);
    assert_memory_equal(jobs.data, bytes, sizeof bytes);
    rostering_body_free(&jobs);
    service_answer_jobs(f->service, &(answer){.status = 200, .body = ""});
    want_jobs(f, "");
}

static void ids_of_a_call_replace_those_of_the_config(void **state) {
    fixture *f = *state;
    rostering_body jobs;
    rostering_ids ids = {.customer_id = "other", .omit_user_id = true};
    assert_null(rostering_list_jobs(f->client, &ids, &jobs));
    rostering_body_free(&jobs);
    want_line(f, "CUSTOMER_ID: other");
    assert_null(strstr(service_last_request(f->service), "user_id"));
    assert_null(strstr(service_last_request(f->service), "USER_ID"));
}

static void *list_ten_times(void *argument) {
    rostering *client = argument;
    for (int i = 0; i < 10; i++) {
        rostering_body jobs;
        rostering_error *error = rostering_list_jobs(client, NULL, &jobs);
        if (error != NULL) {
            return error;
        }
        rostering_body_free(&jobs);
    }
    return NULL;
}

static void threads_share_a_client_and_its_token(void **state) {
    fixture *f = *state;
    pthread_t threads[4];
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, list_ten_times, f->client), 0);
    }
    void *errors[4];
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(threads[i], &errors[i]), 0);
    }
    for (size_t i = 0; i < 4; i++) {
        assert_null(errors[i]);
    }
    assert_int_equal(service_token_requests(f->service), 1);
}

int run_call_tests(void) {
    const struct CMUnitTest tests[] = {
        BOTH(first_call_asks_for_a_token_and_the_next_does_not),
        BOTH(body_comes_byte_for_byte),
        BOTH(ids_of_a_call_replace_those_of_the_config),

        BOTH(threads_share_a_client_and_its_token),
    };
    return cmocka_run_group_tests_name("calls", tests, NULL, NULL);
}
