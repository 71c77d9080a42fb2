/* Errors: their fields, in print and as JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "tests.h"

static void want_printed(const rostering_error *error, const char *want) {
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    assert_non_null(file);
    rostering_error_print(file, error);
    fclose(file);
    assert_string_equal(text, want);
    free(text);
}

static void every_field_is_decoded(void **state) {
    (void)state;
    static const char json[] =
        "{\"code\":\"service_error\",\"message\":\"m\",\"retryable\":true,\"key\":\"k\",\"status\":418,"
        "\"oauth_error\":\"o\",\"oauth_error_description\":\"d\",\"retry_after\":7,\"body\":\"b\\u0000c\","
        "\"body_truncated\":true}";
    rostering_error *error = NULL;
    assert_false(rostering_fail_with(&error, json_loads(json, JSON_ALLOW_NUL, NULL)));
    assert_int_equal(error->code, ROSTERING_SERVICE_ERROR);
    assert_string_equal(error->code_text, "service_error");
    assert_true(error->retryable && error->body_truncated);
    assert_string_equal(error->key, "k");
    assert_int_equal(error->status, 418);
    assert_string_equal(error->oauth_error, "o");
    assert_string_equal(error->oauth_error_description, "d");
    assert_int_equal(error->retry_after, 7);
    assert_int_equal(error->body_length, 3);
    assert_memory_equal(error->body, "b\0c", 4);
    want_printed(error, "service_error: m\n");
    char *text = rostering_error_json(error);
    assert_string_equal(text, json);
    free(text);
    rostering_error_free(error);
}

static void unknown_fields_are_empty(void **state) {
    (void)state;
    rostering_error *error = NULL;
    rostering_fail_with(&error, json_loads("{\"code\":\"of_a_later_plugin\",\"message\":\"m\"}", 0, NULL));
    assert_int_equal(error->code, ROSTERING_UNKNOWN_CODE);
    assert_string_equal(error->code_text, "of_a_later_plugin");
    assert_true(error->key == NULL && error->oauth_error == NULL && error->body == NULL && !error->retryable);
    assert_true(error->status == 0 && error->retry_after == 0 && error->body_length == 0 && !error->body_truncated);
    rostering_error_free(error);
    rostering_error_free(NULL);
}

static void out_of_memory_needs_no_memory(void **state) {
    (void)state;
    rostering_error *error = NULL;
    rostering_fail_with(&error, NULL);
    want_code(error, ROSTERING_OUT_OF_MEMORY);
    want_printed(error, "out_of_memory: out of memory\n");
    assert_null(rostering_error_json(error));
    rostering_error_free(error);
}

static void the_services_answer_is_in_the_error(void **state) {
    fixture *f = *state;
    char body[100000] = "w7z/", *end = body + 4; /* in base64: \xc3\xbc\xff */
    for (; end < body + sizeof body - 4; end += 4) memcpy(end, "eHh4", 4);
    *end = '\0';
    sandbox_fault(f->sandbox, JOBS, "{s:i, s:s}", "status", 503, "body_base64", body);
    rostering_error *error = want_no_jobs(f->client, ROSTERING_SERVICE_ERROR);
    assert_int_equal(error->status, 503);
    assert_true(error->retryable && error->body_truncated);
    assert_int_equal(strncmp(error->body, "\xc3\xbc\xef\xbf\xbdxxx", 8), 0);
    assert_int_equal(strlen(error->body), error->body_length);
    rostering_error_free(error);
}

static void the_token_endpoints_error(void **state) {
    fixture *f = *state;
    f->config.client_secret = "not-the-secret";
    reopen(f);
    rostering_error *error = want_no_jobs(f->client, ROSTERING_TOKEN_ENDPOINT_REJECTED);
    assert_string_equal(error->oauth_error, "invalid_client");
    assert_string_equal(error->oauth_error_description, "client_id or client_secret is wrong");
    assert_int_equal(error->status, 401);
    assert_int_equal(error->retry_after, 1);
    rostering_error_free(error);
}

static void the_reason_of_a_lost_request(void **state) {
    fixture *f = *state;
    f->config.auth_url = "http://127.0.0.1:1";
    reopen(f);
    rostering_error *error = want_no_jobs(f->client, ROSTERING_NETWORK_ERROR);
    assert_true(error->retryable);
    assert_non_null(strstr(error->message, "libcurl 7: Failed to connect to 127.0.0.1"));
    rostering_error_free(error);
}

int run_error_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_is_decoded),
        cmocka_unit_test(unknown_fields_are_empty),
        cmocka_unit_test(out_of_memory_needs_no_memory),
        TEST(the_services_answer_is_in_the_error),
        TEST(the_token_endpoints_error),
        TEST(the_reason_of_a_lost_request),
    };
    return cmocka_run_group_tests_name("errors", tests, NULL, NULL);
}
