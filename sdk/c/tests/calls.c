/* Tokens, jobs and views. */
#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests.h"

static rostering_token *get_token(rostering_client *client, bool force, const char *refused) {
    rostering_token *token;
    rostering_token_request request;
    rostering_token_request_init(&request, sizeof request);
    request.force = force;
    request.refused = refused;
    assert_true(rostering_get_token(client, &request, NULL, &token, NULL));
    return token;
}

static void want_bearer(fixture *f, const rostering_token *token) {
    char credentials[4096];
    snprintf(credentials, sizeof credentials, "Bearer %s", token->access_token);
    want_sent(f, "authorization", credentials);
}

static void a_token_is_cached_forced_and_replaced(void **state) {
    fixture *f = *state;
    rostering_token *first = get_token(f->client, false, NULL), *cached = get_token(f->client, false, NULL);
    rostering_token *forced = get_token(f->client, true, NULL);
    rostering_token *kept = get_token(f->client, false, first->access_token);
    assert_string_equal(first->token_type, "Bearer");
    assert_ptr_equal(rostering_token_access_token(first), first->access_token);
    assert_true(first->expires_at > time(NULL));
    want_part(first->cache_key, f->config.client_id);
    assert_string_equal(cached->access_token, first->access_token);
    assert_string_not_equal(forced->access_token, first->access_token);
    assert_string_equal(kept->access_token, forced->access_token);
    assert_int_equal(sandbox_requests(f->sandbox, AUTH), 2);
    rostering_token_free(first);
    rostering_token_free(cached);
    rostering_token_free(forced);
    rostering_token_free(kept);
    rostering_token_free(NULL);
}

static void a_token_is_passed_to_another_client(void **state) {
    fixture *f = *state;
    rostering_token *token = get_token(f->client, false, NULL);
    reopen(f);
    assert_true(rostering_set_token(f->client, token, NULL));
    want_jobs(f->client);
    want_bearer(f, token);
    assert_int_equal(sandbox_requests(f->sandbox, AUTH), 1);
    assert_true(rostering_clear_token(f->client, NULL));
    want_jobs(f->client);
    assert_int_equal(sandbox_requests(f->sandbox, AUTH), 2);
    rostering_error *error = NULL;
    token->expires_at = 1;
    assert_false(rostering_set_token(f->client, token, &error));
    want_error(error, ROSTERING_TOKEN_MISMATCH, NULL);
    token->cache_key = NULL;
    assert_false(rostering_set_token(f->client, token, &error));
    want_error(error, ROSTERING_INVALID_INPUT, NULL);
    rostering_token_free(token);
}

static void a_response_has_status_headers_and_body(void **state) {
    fixture *f = *state;
    static const char bytes[] = "\0\xff[\0]"; /* AP9bAF0A in base64, with the zero byte at the end */
    sandbox_fault(f->sandbox, JOBS, "{s:i, s:s, s:{s:s}}", "status", 206, "body_base64", "AP9bAF0A", "headers", "X-A",
        "\xc3\xbc");
    rostering_response *jobs;
    assert_true(rostering_list_jobs(f->client, NULL, &jobs, NULL));
    assert_int_equal(jobs->status, 206);
    assert_int_equal(jobs->body_length, sizeof bytes);
    assert_memory_equal(jobs->body, bytes, sizeof bytes);
    assert_int_equal(jobs->body[sizeof bytes], '\0');
    assert_string_equal(rostering_header(jobs->headers, "x-A"), "\xc3\xbc");
    assert_int_equal(rostering_response_status(jobs), 206);
    assert_ptr_equal(rostering_response_body(jobs), jobs->body);
    assert_int_equal(rostering_response_body_length(jobs), sizeof bytes);
    assert_string_equal(rostering_response_header(jobs, "x-A"), "\xc3\xbc");
    assert_null(rostering_header(jobs->headers, "x-b"));
    rostering_response_free(jobs);
    rostering_response_free(NULL);
    static const rostering_pair pairs[] = {{"X-A", "1"}, {"x-a", "2"}, {NULL, NULL}};
    assert_string_equal(rostering_header(pairs, "x-A"), "1");
    assert_null(rostering_header(NULL, "x-a"));
}

static void customer_view(void **state) {
    fixture *f = *state;
    rostering_client *customer = rostering_client_for_customer(f->client, "other");
    rostering_client *both = rostering_client_for_user(customer, "another");
    want_jobs(customer);
    want_sent(f, "customer_id", "other");
    want_sent(f, "user_id", f->config.user_id);
    want_jobs(both);
    want_sent(f, "customer_id", "other");
    want_sent(f, "user_id", "another");
    want_jobs(f->client);
    want_sent(f, "customer_id", f->config.customer_id);
    assert_int_equal(sandbox_requests(f->sandbox, AUTH), 1);
    sandbox_fault(f->sandbox, JOBS, "{s:i, s:s}", "status", 200, "body",
        "{\"jobs\":[]}"); /* without the fault, it wants both ids */
    rostering_client *none = rostering_client_for_customer(both, NULL);
    rostering_request request = new_request("GET", "/jobs");
    rostering_response *response;
    assert_true(rostering_send_request(none, &request, NULL, &response, NULL));
    rostering_response_free(response);
    want_sent(f, "customer_id", NULL);
    want_sent(f, "user_id", "another");
    rostering_client_free(customer);
    want_jobs(both); /* a view outlives the view that it was made from */
    rostering_client_close(both, ROSTERING_NO_TIMEOUT);
    want_error(list_jobs(f->client, NULL), ROSTERING_CLOSED, NULL);
    rostering_client_free(both);
    rostering_client_free(none);
}

static void customer_view_with_an_invalid_id(void **state) {
    fixture *f = *state;
    static const char *const invalid[] = {"", "\xff"};
    for (size_t i = 0; i < 2; i++) {
        rostering_client *view = rostering_client_for_user(f->client, invalid[i]);
        want_error(list_jobs(view, NULL), ROSTERING_INVALID_INPUT, "user_id");
        rostering_client_free(view);
    }
    assert_int_equal(sandbox_requests(f->sandbox, AUTH), 0);
}

static void max_body(void **state) {
    fixture *f = *state;
    rostering_response *jobs;
    f->options.max_body = 3;
    reopen(f);
    for (int i = 0; i < 2; i++) { /* with a new token, and with a cached one */
        sandbox_fault(f->sandbox, JOBS, "{s:i, s:s}", "status", 200, "body", "[12]");
        rostering_error *error = want_no_jobs(f->client, ROSTERING_NETWORK_ERROR);
        assert_false(error->retryable);
        want_part(error->message, "max_body (3 bytes)");
        want_error(error, ROSTERING_NETWORK_ERROR, "max_body");
        sandbox_fault(f->sandbox, JOBS, "{s:i, s:s}", "status", 200, "body", "[1]");
        assert_true(rostering_list_jobs(f->client, NULL, &jobs, NULL));
        rostering_response_free(jobs);
    }
}

static void not_modified(void **state) {
    fixture *f = *state;
    rostering_response *response = NULL;
    rostering_request request = new_request("GET", "/jobs");
    request.headers = (rostering_pair[]){{"If-None-Match", "\"1\""}, {NULL, NULL}};
    sandbox_fault(f->sandbox, JOBS, "{s:i, s:{s:s}}", "status", 304, "headers", "ETag", "\"1\"");
    for (int i = 0; i < 2; i++) { /* with a new token, and with a cached one */
        assert_true(rostering_send_request(f->client, &request, NULL, &response, NULL));
        assert_int_equal(response->status, 304);
        assert_string_equal(rostering_header(response->headers, "etag"), "\"1\"");
        rostering_response_free(response);
    }
    want_sent(f, "if-none-match", "\"1\"");
}

static void set_agent(void *curl, void *agent) {
    curl_easy_setopt(curl, CURLOPT_USERAGENT, agent);
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
}

static void user_agent(void **state) {
    fixture *f = *state;
    static const char own[] = "automatic-rostering/" ROSTERING_VERSION " (c)";
    rostering_token_free(get_token(f->client, false, NULL));
    want_sent(f, "user-agent", own);
    want_jobs(f->client);
    want_sent(f, "user-agent", own);
    f->options.prepare_curl = set_agent;
    f->options.curl_context = "agent-of-the-client";
    reopen(f);
    want_jobs(f->client);
    want_sent(f, "user-agent", "agent-of-the-client");
    rostering_request request = new_request("GET", "/jobs");
    request.headers = (rostering_pair[]){{"User-Agent", "agent-of-the-request"}, {NULL, NULL}};
    rostering_response *response = NULL;
    assert_true(rostering_send_request(f->client, &request, NULL, &response, NULL));
    rostering_response_free(response);
    want_sent(f, "user-agent", "agent-of-the-request");
}

static void set_agent_once(void *curl, void *requests) {
    int *n = requests;
    if ((*n)++ == 0) curl_easy_setopt(curl, CURLOPT_USERAGENT, "agent-of-the-client");
}

static void each_request_is_prepared_anew(void **state) {
    fixture *f = *state;
    int requests = 0;
    f->options.prepare_curl = set_agent_once;
    f->options.curl_context = &requests;
    reopen(f);
    for (int i = 0; i < 3; i++) want_jobs(f->client);
    want_sent(f, "user-agent", "automatic-rostering/" ROSTERING_VERSION " (c)");
    assert_int_equal(requests, 4); /* including the one for the token */
}

static void no_redirect_is_followed(void **state) {
    fixture *f = *state;
    f->options.prepare_curl = set_agent;
    reopen(f);
    sandbox_fault(f->sandbox, JOBS, "{s:i, s:{s:s}}", "status", 307, "headers", "Location", "/other");
    want_error(want_no_jobs(f->client, ROSTERING_SERVICE_ERROR), ROSTERING_SERVICE_ERROR, NULL);
    assert_int_equal(sandbox_requests(f->sandbox, JOBS), 1);
}

static void set_proxy(void *curl, void *proxy) {
    curl_easy_setopt(curl, CURLOPT_PROXY, proxy);
}

/* The environment of all tests has a proxy where nothing listens. */
static void loopback_proxy(void **state) {
    fixture *f = *state;
    want_part(getenv("http_proxy"), "127.0.0.1:2");
    want_jobs(f->client);
    char by_name[64];
    snprintf(by_name, sizeof by_name, "http://localhost:%s", strrchr(f->config.base_url, ':') + 1);
    f->config.base_url = by_name;
    reopen(f);
    want_jobs(f->client);
    f->config.base_url = "http://rostering.invalid";
    f->config.allow_http = true;
    reopen(f);
    rostering_error *error = want_no_jobs(f->client, ROSTERING_NETWORK_ERROR);
    want_part(error->message, "127.0.0.1 port 2"); /* other hosts use the proxy */
    rostering_error_free(error);
    f->options.prepare_curl = set_proxy;
    f->options.curl_context = "http://127.0.0.1:3";
    f->config.base_url = by_name;
    reopen(f);
    error = want_no_jobs(f->client, ROSTERING_NETWORK_ERROR);
    want_part(error->message, "127.0.0.1 port 3"); /* and loopback uses one that the program sets */
    rostering_error_free(error);
}

static void invalid_value_in_a_call(void **state) {
    fixture *f = *state;
    static const int64_t invalid[] = {-1, -5000, INT64_MIN + 1};
    for (size_t i = 0; i < 3; i++) {
        rostering_call call = new_call(invalid[i], NULL);
        rostering_error *error = list_jobs(f->client, &call);
        assert_false(error->retryable);
        want_error(error, ROSTERING_INVALID_INPUT, "timeout_ms");
    }
    rostering_call call = new_call(0, NULL);
    call.timeout_ms = 0;
    want_error(list_jobs(f->client, &call), ROSTERING_INVALID_INPUT, "timeout_ms");
    memset(&call, 0, sizeof call);
    rostering_error *error = list_jobs(f->client, &call);
    want_part(error->message, "rostering_call_init");
    want_error(error, ROSTERING_INVALID_INPUT, NULL);
    assert_int_equal(sandbox_requests(f->sandbox, AUTH), 0);
}

int run_call_tests(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_token_is_cached_forced_and_replaced),
        TEST(a_token_is_passed_to_another_client),
        TEST(a_response_has_status_headers_and_body),
        TEST(customer_view),
        TEST(customer_view_with_an_invalid_id),
        TEST(max_body),
        TEST(not_modified),
        TEST(user_agent),
        TEST(each_request_is_prepared_anew),
        TEST(no_redirect_is_followed),
        TEST(loopback_proxy),
        TEST(invalid_value_in_a_call),
    };
    return cmocka_run_group_tests_name("calls", tests, NULL, NULL);
}
