/* Errors: their fields, as a line and as JSON. */
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "tests.h"

static rostering_error *decode(const char *json) {
    rostering_error *error = NULL;
    assert_false(rostering_fail_with(&error, json_loads(json, JSON_ALLOW_NUL, NULL)));
    return error;
}

static void error_json(void **state) {
    (void)state;
    static const char json[] =
        "{\"code\":\"service_error\",\"message\":\"m\",\"retryable\":true,\"key\":\"k\",\"status\":418,"
        "\"oauth_error\":\"o\",\"oauth_error_description\":\"d\",\"retry_after\":7,\"body\":\"b\\u0000c\","
        "\"body_truncated\":true}";
    rostering_error *error = decode(json);
    assert_string_equal(error->json, json);
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
    assert_ptr_equal(rostering_error_text(error), error->text);
    assert_ptr_equal(rostering_error_json(error), error->json);
    assert_ptr_equal(rostering_error_code_text(error), error->code_text);
    assert_ptr_equal(rostering_error_message(error), error->message);
    assert_true(rostering_error_retryable(error));
    assert_int_equal(rostering_error_retry_after(error), 7);
    rostering_error_free(error);
}

static void error_text(void **state) {
    (void)state;
    static const char *const table[][2] = {
        {"", "c: m"},
        {",\"status\":418", "c: m (status 418)"},
        {",\"oauth_error\":\"o\"", "c: m (o)"},
        {",\"oauth_error_description\":\"d\"", "c: m (d)"},
        {",\"status\":400,\"oauth_error\":\"o\",\"oauth_error_description\":\"of\\ntwo lines\"",
            "c: m (status 400, o: of two lines)"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char json[200];
        snprintf(json, sizeof json, "{\"code\":\"c\",\"message\":\"m\"%s}", table[i][0]);
        rostering_error *error = decode(json);
        assert_string_equal(error->text, table[i][1]);
        rostering_error_free(error);
    }
}

static void unknown_fields_are_empty(void **state) {
    (void)state;
    rostering_error *error = decode("{\"code\":\"of_a_later_plugin\",\"message\":\"m\"}");
    assert_int_equal(error->code, ROSTERING_UNKNOWN_CODE);
    assert_string_equal(error->code_text, "of_a_later_plugin");
    assert_true(error->key == NULL && error->oauth_error == NULL && error->body == NULL && !error->retryable);
    assert_true(error->status == 0 && error->retry_after == 0 && error->body_length == 0 && !error->body_truncated);
    assert_true(error->headers == NULL && error->curl_code == 0);
    rostering_error_free(error);
    rostering_error_free(NULL);
}

static void out_of_memory_needs_no_memory(void **state) {
    (void)state;
    rostering_error *error = NULL;
    rostering_fail_with(&error, NULL);
    assert_string_equal(error->text, "out_of_memory: out of memory");
    assert_string_equal(error->json, "{\"code\":\"out_of_memory\",\"message\":\"out of memory\",\"retryable\":false}");
    rostering_error_set_headers(error, NULL);
    want_error(error, ROSTERING_OUT_OF_MEMORY, NULL);
}

static void not_2xx(void **state) {
    fixture *f = *state;
    char body[100000] = "w7z/", *end = body + 4; /* in base64: \xc3\xbc\xff */
    for (; end < body + sizeof body - 4; end += 4) memcpy(end, "eHh4", 4);
    *end = '\0';
    for (int i = 0; i < 2; i++) { /* with a new token, and with a cached one */
        sandbox_fault(f->sandbox, JOBS, "{s:i, s:s, s:{s:s, s:s}}", "status", 503, "body_base64", body, "headers",
            "Retry-After", "7", "X-Request", "abc");
        rostering_error *error = want_no_jobs(f->client, ROSTERING_SERVICE_ERROR);
        assert_int_equal(error->status, 503);
        assert_int_equal(error->retry_after, 7);
        assert_true(error->retryable && error->body_truncated);
        assert_int_equal(strncmp(error->body, "\xc3\xbc\xef\xbf\xbdxxx", 8), 0);
        assert_int_equal(strlen(error->body), error->body_length);
        assert_string_equal(rostering_header(error->headers, "x-request"), "abc");
        assert_null(strstr(error->json, "X-Request")); /* the contract has no headers */
        rostering_error_free(error);
        sandbox_clear_faults(f->sandbox);
        want_jobs(f->client);
    }
}

static void error_text_has_what_the_token_endpoint_said(void **state) {
    fixture *f = *state;
    f->config.client_secret = "not-the-secret";
    reopen(f);
    rostering_error *error = want_no_jobs(f->client, ROSTERING_TOKEN_ENDPOINT_REJECTED);
    assert_string_equal(error->oauth_error, "invalid_client");
    assert_string_equal(error->oauth_error_description, "client_id or client_secret is wrong");
    assert_int_equal(error->status, 401);
    want_part(error->text, "(status 401, invalid_client: client_id or client_secret is wrong)");
    rostering_error_free(error);
}

static void error_cause(void **state) {
    fixture *f = *state;
    for (int i = 0; i < 2; i++) { /* of the token request, and of the service's */
        if (i == 0) f->config.auth_url = "http://127.0.0.1:1";
        if (i == 1) {
            f->config.auth_url = json_string_value(json_object_get(sandbox_env(f->sandbox), "ROSTERING_AUTH_URL"));
            f->config.base_url = "http://127.0.0.1:1";
        }
        reopen(f);
        rostering_error *error = want_no_jobs(f->client, ROSTERING_NETWORK_ERROR);
        assert_true(error->retryable);
        assert_int_equal(error->curl_code, CURLE_COULDNT_CONNECT);
        assert_int_equal(error->retry_after, i == 0 ? 1 : 0);
        want_part(error->message, "Failed to connect to 127.0.0.1");
        rostering_error_free(error);
    }
}

int run_error_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(error_json),
        cmocka_unit_test(error_text),
        cmocka_unit_test(unknown_fields_are_empty),
        cmocka_unit_test(out_of_memory_needs_no_memory),
        TEST(not_2xx),
        TEST(error_text_has_what_the_token_endpoint_said),
        TEST(error_cause),
    };
    return cmocka_run_group_tests_name("errors", tests, NULL, NULL);
}
