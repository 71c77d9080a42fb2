/* Tokens and jobs. */
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests.h"

static rostering_token get_token(
    rostering *client, const rostering_token_request *request, const rostering_call *call) {
    rostering_token token;
    assert_true(rostering_get_token(client, request, call, &token, NULL));
    return token;
}

static void want_bearer(fixture *f, const rostering_token *token) {
    char credentials[4096];
    snprintf(credentials, sizeof credentials, "Bearer %s", token->access_token);
    want_sent(f, "authorization", credentials);
}

static void a_token_is_cached_forced_and_replaced(void **state) {
    fixture *f = *state;
    rostering_token first = get_token(f->client, NULL, NULL), cached = get_token(f->client, NULL, NULL);
    rostering_token forced = get_token(f->client, &(rostering_token_request){.force = true}, NULL);
    rostering_token kept = get_token(f->client, &(rostering_token_request){.refused = first.access_token}, NULL);
    assert_string_equal(first.token_type, "Bearer");
    assert_true(first.expires_at > time(NULL));
    assert_non_null(strstr(first.cache_key, f->config.client_id));
    assert_string_equal(cached.access_token, first.access_token);
    assert_string_not_equal(forced.access_token, first.access_token);
    assert_string_equal(kept.access_token, forced.access_token);
    assert_int_equal(sandbox_requests(f->sandbox, AUTH), 2);
    rostering_token_free(&first);
    rostering_token_free(&cached);
    rostering_token_free(&forced);
    rostering_token_free(&kept);
}

static void a_token_goes_to_another_client(void **state) {
    fixture *f = *state;
    rostering_token token = get_token(f->client, NULL, NULL);
    reopen(f);
    assert_true(rostering_set_token(f->client, &token, NULL));
    want_jobs(f->client);
    want_bearer(f, &token);
    assert_int_equal(sandbox_requests(f->sandbox, AUTH), 1);
    assert_true(rostering_clear_token(f->client, NULL));
    want_jobs(f->client);
    assert_int_equal(sandbox_requests(f->sandbox, AUTH), 2);
    rostering_error *error = NULL;
    token.expires_at = 1;
    assert_false(rostering_set_token(f->client, &token, &error));
    want_error(error, ROSTERING_TOKEN_MISMATCH);
    token.cache_key = NULL;
    assert_false(rostering_set_token(f->client, &token, &error));
    want_error(error, ROSTERING_INVALID_INPUT);
    rostering_token_free(&token);
}

static void now_is_the_callers(void **state) {
    fixture *f = *state;
    const int64_t then = (int64_t)time(NULL) + 1000000;
    rostering_token token = get_token(f->client, NULL, &(rostering_call){.now = then});
    assert_int_equal(token.expires_at, then + 3600);
    rostering_token_free(&token);
}

static void a_response_has_status_headers_and_body(void **state) {
    fixture *f = *state;
    static const char bytes[] = "\0\xff[\0]"; /* AP9bAF0A in base64, with the zero byte at the end */
    sandbox_fault(f->sandbox, JOBS, "{s:i, s:s, s:{s:s}}", "status", 206, "body_base64", "AP9bAF0A", "headers", "X-A",
        "\xc3\xbc");
    rostering_response jobs;
    assert_true(rostering_list_jobs(f->client, NULL, NULL, &jobs, NULL));
    assert_int_equal(jobs.status, 206);
    assert_int_equal(jobs.body_length, sizeof bytes);
    assert_memory_equal(jobs.body, bytes, sizeof bytes);
    assert_int_equal(jobs.body[sizeof bytes], '\0');
    assert_string_equal(rostering_response_header(&jobs, "x-A"), "\xc3\xbc");
    assert_null(rostering_response_header(&jobs, "x-b"));
    rostering_response_free(&jobs);
    assert_null(rostering_response_header(&jobs, "x-a"));
}

static void the_first_of_several_headers_is_returned(void **state) {
    (void)state;
    rostering_header headers[] = {{"X-A", "1"}, {"x-a", "2"}, {NULL, NULL}};
    assert_string_equal(rostering_response_header(&(rostering_response){.headers = headers}, "x-A"), "1");
}

static void ids_of_a_call_replace_the_configs(void **state) {
    fixture *f = *state;
    rostering_response jobs;
    rostering_ids ids = {.customer_id = "other", .omit_user_id = true};
    sandbox_fault(f->sandbox, JOBS, "{s:i}", "status", 200); /* it refuses requests without a user */
    assert_true(rostering_list_jobs(f->client, &ids, NULL, &jobs, NULL));
    rostering_response_free(&jobs);
    want_sent(f, "customer_id", "other");
    want_sent(f, "user_id", NULL);
    rostering_error *error = NULL;
    static const char *const invalid[] = {"\xff", ""};
    for (size_t i = 0; i < 2; i++) {
        ids = (rostering_ids){.user_id = invalid[i]};
        assert_false(rostering_list_jobs(f->client, &ids, NULL, &jobs, &error));
        assert_string_equal(error->key, "user_id");
        want_error(error, ROSTERING_INVALID_INPUT);
    }
}

static void a_long_answer_is_refused(void **state) {
    fixture *f = *state;
    rostering_response jobs;
    f->options.max_body = 3;
    reopen(f);
    sandbox_fault(f->sandbox, JOBS, "{s:i, s:s}", "status", 200, "body", "[1]");
    assert_true(rostering_list_jobs(f->client, NULL, NULL, &jobs, NULL));
    rostering_response_free(&jobs);
    sandbox_fault(f->sandbox, JOBS, "{s:i, s:s}", "status", 200, "body", "[12]");
    rostering_error *error = want_no_jobs(f->client, ROSTERING_NETWORK_ERROR);
    assert_non_null(strstr(error->message, "too long"));
    rostering_error_free(error);
}

static void name_agent(void *curl, void *agent) {
    curl_easy_setopt(curl, CURLOPT_USERAGENT, agent);
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
}

static void options_of_ones_own_follow_no_redirect(void **state) {
    fixture *f = *state;
    f->options.prepare_curl = name_agent;
    f->options.curl_context = "agent-of-the-test";
    reopen(f);
    want_jobs(f->client);
    want_sent(f, "user-agent", "agent-of-the-test");
    sandbox_fault(f->sandbox, JOBS, "{s:i, s:{s:s}}", "status", 307, "headers", "Location", "/other");
    rostering_error *error = want_no_jobs(f->client, ROSTERING_SERVICE_ERROR);
    assert_int_equal(error->status, 307);
    rostering_error_free(error);
    assert_int_equal(sandbox_requests(f->sandbox, JOBS), 2);
}

int run_client_tests(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_token_is_cached_forced_and_replaced),
        TEST(a_token_goes_to_another_client),
        TEST(now_is_the_callers),
        TEST(a_response_has_status_headers_and_body),
        cmocka_unit_test(the_first_of_several_headers_is_returned),
        TEST(ids_of_a_call_replace_the_configs),
        TEST(a_long_answer_is_refused),
        TEST(options_of_ones_own_follow_no_redirect),
    };
    return cmocka_run_group_tests_name("client", tests, NULL, NULL);
}
