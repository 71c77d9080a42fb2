/* Errors of the plugin: each field, and that none shows a secret. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "tests.h"

enum { EXPORT_FAILED = 1 };

static void every_field_is_decoded(void **state) {
    (void)state;
    rostering_error *error = rostering_call_error(EXPORT_FAILED,
        "{\"code\":\"c\",\"message\":\"m\",\"retryable\":true,\"key\":\"k\",\"status\":418,\"oauth_error\":\"o\","
        "\"oauth_error_description\":\"d\",\"retry_after\":7,\"body\":\"b\\u0000c\",\"body_truncated\":true}");
    assert_string_equal(error->code, "c");
    assert_string_equal(error->message, "m");
    assert_true(error->retryable);
    assert_string_equal(error->key, "k");
    assert_int_equal(error->status, 418);
    assert_string_equal(error->oauth_error, "o");
    assert_string_equal(error->oauth_error_description, "d");
    assert_int_equal(error->retry_after, 7);
    assert_int_equal(error->body_length, 3);
    assert_memory_equal(error->body, "b\0c", 4);
    assert_true(error->body_truncated);
    assert_null(error->cause);
    char *text = printed(error);
    assert_string_equal(text, "rostering: c: m\n"
                              "  key               k\n"
                              "  status            418\n"
                              "  OAuth error       o\n"
                              "  OAuth description d\n"
                              "  worth a retry     yes\n"
                              "  retry after (s)   7\n"
                              "  body              b\n"
                              "                    (and more)\n");
    free(text);
    rostering_error_free(error);
}

static void fields_that_are_not_there_are_empty(void **state) {
    (void)state;
    rostering_error *error = rostering_call_error(EXPORT_FAILED, "{\"code\":\"c\",\"message\":\"m\"}");
    assert_false(error->retryable || error->body_truncated);
    assert_true(error->key == NULL && error->oauth_error == NULL && error->oauth_error_description == NULL);
    assert_true(error->body == NULL && error->cause == NULL);
    assert_true(error->status == 0 && error->retry_after == 0 && error->body_length == 0);
    rostering_error_free(error);
    rostering_error_free(NULL);
    rostering_error_free(rostering_out_of_memory());
}

static void error_that_is_not_of_the_contract_is_a_broken_plugin(void **state) {
    (void)state;
    static const char *const texts[] = {"out of luck", "", "{}", "[]", "{\"code\":1}", "{\"code\":\"c\"}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        rostering_error *error = want_error(rostering_call_error(EXPORT_FAILED, texts[i]), ROSTERING_PLUGIN_FAILED);
        assert_string_equal(error->cause, texts[i]);
        assert_false(error->retryable);
        rostering_error_free(error);
    }
    rostering_error_free(want_error(rostering_call_error(134, NULL), ROSTERING_PLUGIN_FAILED));
}

static void token_endpoint_refuses(void **state) {
    fixture *f = *state;
    service_answer_token(
        f->service, &(answer){.status = 400, .body = "{\"error\":\"invalid_client\",\"error_description\":\"who?\"}"});
    rostering_error *error = want_jobs_error(f, ROSTERING_TOKEN_ENDPOINT_REJECTED);
    assert_int_equal(error->status, 400);
    assert_string_equal(error->oauth_error, "invalid_client");
    assert_string_equal(error->oauth_error_description, "who?");
    assert_false(error->retryable);
    assert_int_equal(error->retry_after, 1);
    rostering_error_free(error);
}

static void service_fails(void **state) {
    fixture *f = *state;
    service_answer_jobs(f->service, &(answer){.status = 503, .body = "busy"});
    rostering_error *error = want_jobs_error(f, ROSTERING_SERVICE_ERROR);
    assert_int_equal(error->status, 503);
    if (f->drives) {
        assert_null(error->body); /* the plugin did not get it */
    } else {
        assert_string_equal(error->body, "busy");
    }
    assert_true(error->retryable);
    assert_false(error->body_truncated);
    rostering_error_free(error);
}

static void long_body_is_cut(void **state) {
    fixture *f = *state;
    char *body = malloc(70000);
    assert_non_null(body);
    memset(body, 'x', 70000);
    service_answer_jobs(f->service, &(answer){.status = 500, .body = body, .length = 70000});
    rostering_error *error = want_jobs_error(f, ROSTERING_SERVICE_ERROR);
    free(body);
    assert_int_equal(error->body_length, 65536);
    assert_true(error->body_truncated);
    rostering_error_free(error);
}

static void config_at_fault_is_named(void **state) {
    fixture *f = *state;
    f->config.client_id = NULL;
    reopen(f);
    rostering_error *error = want_jobs_error(f, ROSTERING_CONFIG_MISSING);
    assert_string_equal(error->key, "client_id");
    rostering_error_free(error);
}

static void input_at_fault_is_named(void **state) {
    fixture *f = *state;
    rostering_body jobs;
    static const char *const wrong[] = {"a\nb", "\xff"};
    for (size_t i = 0; i < 2; i++) {
        rostering_ids ids = {.user_id = wrong[i]};
        rostering_error *error = want_error(rostering_list_jobs(f->client, &ids, &jobs), ROSTERING_INVALID_INPUT);
        assert_string_equal(error->key, "user_id");
        rostering_error_free(error);
    }
}

static void secrets_are_not_in_errors(void **state) {
    fixture *f = *state;
    service_answer_jobs(
        f->service, &(answer){.status = 500, .body = "you sent a-token-of-the-test-1, s3cr3t-of-the-test"});
    rostering_error *error = want_jobs_error(f, ROSTERING_SERVICE_ERROR);
    char *text = printed(error);
    assert_non_null(strstr(text, "[redacted]"));
    assert_null(strstr(text, "s3cr3t-of-the-test"));
    assert_null(strstr(text, "a-token-of-the-test-1"));
    free(text);
    rostering_error_free(error);
}

int run_error_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_is_decoded),
        cmocka_unit_test(fields_that_are_not_there_are_empty),
        cmocka_unit_test(error_that_is_not_of_the_contract_is_a_broken_plugin),
        BOTH(token_endpoint_refuses),
        BOTH(service_fails),
        DIRECT(long_body_is_cut),
        BOTH(config_at_fault_is_named),
        BOTH(input_at_fault_is_named),
        DIRECT(secrets_are_not_in_errors),
    };
    return cmocka_run_group_tests_name("errors", tests, NULL, NULL);
}
