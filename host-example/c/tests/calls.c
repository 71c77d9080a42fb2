/* Calls that succeed: the token, the jobs, many threads. */
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
    const char *request = service_last_request(f->service);
    assert_non_null(strstr(request, "Bearer a-token-of-the-test-1\r\n"));
    assert_non_null(strstr(request, "customer_id: customer\r\n"));
    assert_non_null(strstr(request, "user_id: user\r\n"));
}

static void body_comes_byte_for_byte(void **state) {
    fixture *f = *state;
    static const char bytes[] = "\0\xff[\0]";
    service_answer_jobs(f->service, &(answer){200, bytes, sizeof bytes});
    rostering_body jobs;
    assert_null(rostering_list_jobs(f->client, NULL, &jobs));
    assert_int_equal(jobs.length, sizeof bytes);
    assert_memory_equal(jobs.data, bytes, sizeof bytes);
    rostering_body_free(&jobs);
    service_answer_jobs(f->service, &(answer){200, "", 0});
    want_jobs(f, "");
}

static void ids_of_a_call_replace_those_of_the_config(void **state) {
    fixture *f = *state;
    rostering_body jobs;
    rostering_ids ids = {.customer_id = "other", .omit_user_id = true};
    assert_null(rostering_list_jobs(f->client, &ids, &jobs));
    rostering_body_free(&jobs);
    assert_non_null(strstr(service_last_request(f->service), "customer_id: other\r\n"));
    assert_null(strstr(service_last_request(f->service), "user_id"));
}

static void token_is_given_until_a_new_one_is_forced(void **state) {
    fixture *f = *state;
    rostering_token first, again, forced;
    assert_null(rostering_get_token(f->client, false, &first));
    assert_null(rostering_get_token(f->client, false, &again));
    assert_null(rostering_get_token(f->client, true, &forced));
    assert_string_equal(first.access_token, "a-token-of-the-test-1");
    assert_string_equal(first.token_type, "Bearer");
    assert_true(first.expires_at > (int64_t)time(NULL));
    assert_non_null(first.cache_key);
    assert_string_equal(again.access_token, first.access_token);
    assert_int_equal(again.expires_at, first.expires_at);
    assert_string_equal(forced.access_token, "a-token-of-the-test-2");
    rostering_token_free(&first);
    rostering_token_free(&again);
    rostering_token_free(&forced);
}

static void token_is_not_printed(void **state) {
    (void)state;
    static const struct {
        const char *token, *printed;
    } table[] = {
        {"a-token-of-the-test-1", "Bearer a-token-… (21 characters), expires_at 1800000000 (2027-01-15T08:00:00Z)\n"},
        {"short", "Bearer … (5 characters), expires_at 1800000000 (2027-01-15T08:00:00Z)\n"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        rostering_token token = {table[i].token, "Bearer", 1800000000, "key", NULL};
        char *text = NULL;
        size_t length = 0;
        FILE *file = open_memstream(&text, &length);
        assert_non_null(file);
        rostering_token_print(file, &token);
        fclose(file);
        assert_string_equal(text, table[i].printed);
        free(text);
    }
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int run_call_tests(void) {
    const struct CMUnitTest tests[] = {
        TEST(first_call_asks_for_a_token_and_the_next_does_not),
        TEST(body_comes_byte_for_byte),
        TEST(ids_of_a_call_replace_those_of_the_config),
        TEST(token_is_given_until_a_new_one_is_forced),
        cmocka_unit_test(token_is_not_printed),
        TEST(threads_share_a_client_and_its_token),
    };
    return cmocka_run_group_tests_name("calls", tests, NULL, NULL);
}
