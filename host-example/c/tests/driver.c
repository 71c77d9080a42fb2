/* What the driver alone does. */
#include <curl/curl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "deadline.h"
#include "drive.h"
#include "manifest.h"
#include "tests.h"

enum { CALLERS = 20, LONG_MS = 20000 };

static void *list(void *client) {
    rostering_body jobs;
    rostering_error *error = rostering_list_jobs(client, NULL, &jobs);
    if (error == NULL) {
        rostering_body_free(&jobs);
    }
    return error;
}

/* list_together lists the jobs from many threads. */
static void list_together(rostering *client) {
    pthread_t threads[CALLERS];
    void *errors[CALLERS];
    for (size_t i = 0; i < CALLERS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, list, client), 0);
    }
    for (size_t i = 0; i < CALLERS; i++) {
        assert_int_equal(pthread_join(threads[i], &errors[i]), 0);
    }
    for (size_t i = 0; i < CALLERS; i++) {
        assert_null(errors[i]);
    }
}

/* The service answers none before it has them all. */
static void callers_are_answered_together_with_one_token(void **state) {
    fixture *f = *state;
    service_answer_jobs(f->service, &(answer){.status = 200, .body = "[1]", .together = CALLERS});
    list_together(f->client);
    assert_int_equal(service_token_requests(f->service), 1);
    assert_int_equal(service_jobs_requests(f->service), CALLERS);
}

static void callers_share_the_token_after_a_revocation(void **state) {
    fixture *f = *state;
    want_jobs(f, "[1]");
    service_answer_jobs(
        f->service, &(answer){.status = 401, .body = "", .only_to = "a-token-of-the-test-1\r\n", .together = CALLERS});
    list_together(f->client);
    assert_int_equal(service_token_requests(f->service), 2);
    assert_int_equal(service_jobs_requests(f->service), 1 + 2 * CALLERS);
}

/* An instance and an HTTP client without a client around them. */
typedef struct parts {
    rostering_instance instance;
    rostering_http *http;
    int64_t now; /* 0: the clock's */
} parts;

static void open_parts(fixture *f, parts *p) {
    char *manifest = NULL;
    assert_null(rostering_manifest(plugin_path, &f->config, false, &manifest));
    assert_null(rostering_instance_open(&p->instance, manifest));
    free(manifest);
    p->http = rostering_http_new(&f->config);
    assert_non_null(p->http);
}

static void close_parts(parts *p) {
    rostering_instance_close(&p->instance);
    rostering_http_free(p->http);
}

static rostering_error *list_by(parts *p, int64_t timeout_ms) {
    rostering_body jobs = {0};
    json_t *input = p->now == 0 ? json_object() : json_pack("{s:I}", "now", (json_int_t)p->now);
    rostering_error *error =
        rostering_drive(&p->instance, p->http, "list_jobs", input, rostering_deadline(timeout_ms), &jobs);
    rostering_body_free(&jobs);
    return error;
}

static void *list_patiently(void *p) {
    return list_by(p, LONG_MS);
}

static void callers_share_a_renewal(void **state) {
    fixture *f = *state;
    parts p = {.now = 1800000000};
    open_parts(f, &p);
    assert_null(list_by(&p, LONG_MS));
    p.now += 3590;
    pthread_t threads[CALLERS];
    for (size_t i = 0; i < CALLERS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, list_patiently, &p), 0);
    }
    for (size_t i = 0; i < CALLERS; i++) {
        void *error;
        assert_int_equal(pthread_join(threads[i], &error), 0);
        assert_null(error);
    }
    assert_int_equal(service_token_requests(f->service), 2);
    close_parts(&p);
}

static void wait_for_token_request(fixture *f) {
    const struct timespec pause = {.tv_nsec = 1000000};
    for (int i = 0; i < LONG_MS && service_token_requests(f->service) == 0; i++) {
        nanosleep(&pause, NULL);
    }
    assert_int_equal(service_token_requests(f->service), 1);
}

static void waiting_for_a_token_ends_in_time(void **state) {
    fixture *f = *state;
    parts p = {0};
    open_parts(f, &p);
    service_answer_token(f->service, &(answer){.status = 400, .body = "", .together = 2});
    pthread_t first;
    assert_int_equal(pthread_create(&first, NULL, list_patiently, &p), 0);
    wait_for_token_request(f);
    rostering_error *error = want_error(list_by(&p, 1), ROSTERING_NETWORK_ERROR);
    assert_true(error->retryable);
    rostering_error_free(error);
    assert_int_equal(service_token_requests(f->service), 1);
    rostering_token token;
    rostering_error_free(/* the second request */
        want_error(rostering_get_token(f->client, false, &token), ROSTERING_TOKEN_ENDPOINT_REJECTED));
    void *end;
    assert_int_equal(pthread_join(first, &end), 0);
    rostering_error_free(want_error(end, ROSTERING_TOKEN_ENDPOINT_REJECTED));
    close_parts(&p);
}

static void redirects_are_not_followed(void **state) {
    fixture *f = *state;
    service *other = service_start();
    assert_non_null(other);
    char line[128];
    snprintf(line, sizeof line, "Location: %s/connect/token\r\n", service_url(other));
    answer redirect = {.status = 307, .body = "", .header = line};
    service_answer_token(f->service, &redirect);
    rostering_error *error = want_jobs_error(f, ROSTERING_TOKEN_ENDPOINT_REJECTED);
    assert_int_equal(error->status, 307);
    rostering_error_free(error);
    service_answer_token(f->service, NULL);
    assert_null(rostering_clear_token(f->client));
    service_answer_jobs(f->service, &redirect);
    error = want_jobs_error(f, ROSTERING_SERVICE_ERROR);
    assert_int_equal(error->status, 307);
    rostering_error_free(error);
    assert_int_equal(service_connections(other), 0);
    service_stop(other);
}

static void retry_after_is_heeded(void **state) {
    fixture *f = *state;
    service_answer_token(f->service, &(answer){.status = 503, .body = "", .header = "Retry-After: 7\r\n"});
    rostering_error *error = want_jobs_error(f, ROSTERING_TOKEN_ENDPOINT_UNAVAILABLE);
    assert_int_equal(error->retry_after, 7);
    rostering_error_free(error);
}

static void token_answer_that_is_no_utf8(void **state) {
    fixture *f = *state;
    service_answer_token(
        f->service, &(answer){.status = 400, .body = "{\"error\":\"caf\xe9 \xf0\x9f\x98\x80 \xed\xa0\x80\"}"});
    rostering_error *error = want_jobs_error(f, ROSTERING_TOKEN_ENDPOINT_REJECTED);
    assert_string_equal(error->oauth_error, "caf\xef\xbf\xbd \xf0\x9f\x98\x80 \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    rostering_error_free(error);
}

static void connection_is_kept_and_no_request_is_sent_twice(void **state) {
    fixture *f = *state;
    want_jobs(f, "[1]");
    want_jobs(f, "[1]");
    assert_int_equal(service_connections(f->service), 1);
    service_answer_jobs(f->service, &(answer){0});
    rostering_error *error = want_jobs_error(f, ROSTERING_NETWORK_ERROR);
    assert_non_null(strstr(error->message, "the connection was closed before an answer came"));
    rostering_error_free(error);
    assert_int_equal(service_jobs_requests(f->service), 3);
}

static void reason_of_a_refused_connection(void **state) {
    fixture *f = *state;
    service *gone = service_start();
    assert_non_null(gone);
    char url[64];
    snprintf(url, sizeof url, "%s", service_url(gone));
    service_stop(gone);
    f->config.auth_url = url;
    reopen(f);
    rostering_error *error = want_jobs_error(f, ROSTERING_NETWORK_ERROR);
    assert_non_null(strstr(error->message, "libcurl 7: Failed to connect to 127.0.0.1"));
    rostering_error_free(error);
}

static void name_agent(void *curl, void *agent) {
    curl_easy_setopt(curl, CURLOPT_USERAGENT, agent);
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
}

static void options_of_ones_own(void **state) {
    fixture *f = *state;
    f->config.prepare_curl = name_agent;
    f->config.curl_context = "agent-of-the-test";
    reopen(f);
    want_jobs(f, "[1]");
    want_line(f, "User-Agent: agent-of-the-test");
    assert_null(rostering_clear_token(f->client));
    redirects_are_not_followed(state);
}

static void build_without_a_clock(void **state) {
    fixture *f = *state;
    char path[4096];
    snprintf(path, sizeof path, "%.*s-nowasi.wasm", (int)(strlen(plugin_path) - strlen(".wasm")), plugin_path);
    rostering *client;
    rostering_token token;
    assert_null(rostering_open_driver(path, &f->config, &client));
    assert_null(rostering_get_token(client, false, &token));
    assert_true(token.expires_at > (int64_t)time(NULL));
    assert_null(rostering_set_token(client, &token));
    rostering_token_free(&token);
    rostering_close(client);
}

static void plugins_own_requests_are_refused(void **state) {
    fixture *f = *state;
    parts p = {0};
    open_parts(f, &p);
    assert_true(rostering_turn_take(&p.instance.turn, ROSTERING_NO_DEADLINE));
    json_t *input = json_object();
    rostering_body jobs;
    rostering_error_free(
        want_error(rostering_instance_call(&p.instance, "list_jobs", input, &jobs), ROSTERING_NETWORK_ERROR));
    json_decref(input);
    rostering_turn_leave(&p.instance.turn);
    assert_int_equal(service_connections(f->service), 0);
    close_parts(&p);
}

int run_driver_tests(void) {
    const struct CMUnitTest tests[] = {
        DRIVER(callers_are_answered_together_with_one_token),
        DRIVER(callers_share_the_token_after_a_revocation),
        DRIVER(callers_share_a_renewal),
        DRIVER(waiting_for_a_token_ends_in_time),
        DRIVER(redirects_are_not_followed),
        DRIVER(retry_after_is_heeded),
        DRIVER(token_answer_that_is_no_utf8),
        DRIVER(connection_is_kept_and_no_request_is_sent_twice),
        DRIVER(reason_of_a_refused_connection),
        DRIVER(options_of_ones_own),
        DRIVER(build_without_a_clock),
        DRIVER(plugins_own_requests_are_refused),
    };
    return cmocka_run_group_tests_name("driver", tests, NULL, NULL);
}
