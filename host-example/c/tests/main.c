#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tests.h"

int set_up(void **state) {
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->service = service_start();
    assert_non_null(f->service);
    f->config = (rostering_config){
        .auth_url = service_url(f->service),
        .base_url = service_url(f->service),
        .environment = ROSTERING_STAGE,
        .client_id = "client",
        .client_secret = "s3cr3t-of-the-test",
        .customer_id = "customer",
        .user_id = "user",
    };
    f->client = open_another(f);
    *state = f;
    return 0;
}

int tear_down(void **state) {
    fixture *f = *state;
    rostering_free(f->client);
    service_stop(f->service);
    free(f);
    return 0;
}

rostering *open_another(const fixture *f) {
    rostering *client;
    rostering_error *error = NULL;
    rostering_open(&f->config, &f->options, &client, &error);
    assert_null(error);
    return client;
}

void reopen(fixture *f) {
    rostering_free(f->client);
    f->client = open_another(f);
}

void want_jobs(rostering *client) {
    rostering_response jobs;
    rostering_error *error = NULL;
    if (!rostering_list_jobs(client, NULL, NULL, &jobs, &error)) {
        rostering_error_print(stderr, error);
        rostering_error_free(error);
        fail();
    }
    assert_int_equal(jobs.status, 200);
    assert_string_equal(jobs.body, "[1]");
    rostering_response_free(&jobs);
}

void want_line(fixture *f, const char *line) {
    size_t length = strlen(line);
    for (const char *at = service_last_request(f->service); at != NULL; at = strstr(at, "\r\n")) {
        at += strspn(at, "\r\n");
        if (strncasecmp(at, line, length) == 0 && at[length] == '\r') return;
    }
    fail_msg("no line %s in %s", line, service_last_request(f->service));
}

void want_code(const rostering_error *error, rostering_code code) {
    assert_non_null(error);
    if (error->code != code) rostering_error_print(stderr, error);
    assert_int_equal(error->code, code);
}

void want_error(rostering_error *error, rostering_code code) {
    want_code(error, code);
    rostering_error_free(error);
}

rostering_error *want_no_jobs(rostering *client, rostering_code code) {
    rostering_response jobs;
    rostering_error *error = NULL;
    assert_false(rostering_list_jobs(client, NULL, NULL, &jobs, &error));
    assert_true(jobs.status == 0 && jobs.headers == NULL && jobs.body == NULL);
    want_code(error, code);
    return error;
}

int main(void) {
    setenv("NO_PROXY", "127.0.0.1", 1); /* libextism would ask a proxy even for loopback */
    /* First, since it must see libextism set its signal handlers. */
    int failed = run_open_tests();
    failed += run_client_tests() + run_request_tests() + run_error_tests() + run_thread_tests() + run_store_tests() +
              run_program_tests();
    return failed == 0 ? 0 : 1;
}
