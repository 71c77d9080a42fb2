#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tests.h"

const char *plugin_path;

static int set_up(void **state, bool drives) {
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->service = service_start();
    assert_non_null(f->service);
    f->config = (rostering_config){
        .auth_url = service_url(f->service),
        .base_url = service_url(f->service),
        .environment = "stage",
        .client_id = "client",
        .client_secret = "s3cr3t-of-the-test",
        .customer_id = "customer",
        .user_id = "user",
    };
    f->drives = drives;
    reopen(f);
    *state = f;
    return 0;
}

int set_up_direct(void **state) {
    return set_up(state, false);
}

int set_up_driver(void **state) {
    return set_up(state, true);
}

int tear_down(void **state) {
    fixture *f = *state;
    rostering_close(f->client);
    service_stop(f->service);
    free(f);
    return 0;
}

rostering *open_another(fixture *f) {
    rostering *client = NULL;
    assert_null((f->drives ? rostering_open_driver : rostering_open)(plugin_path, &f->config, &client));
    return client;
}

void reopen(fixture *f) {
    rostering_close(f->client);
    f->client = open_another(f);
}

void want_jobs(fixture *f, const char *jobs) {
    rostering_body got;
    rostering_error *error = rostering_list_jobs(f->client, NULL, &got);
    if (error != NULL) {
        rostering_error_print(stderr, error);
        rostering_error_free(error);
        fail();
    }
    assert_string_equal(got.data, jobs);
    assert_int_equal(got.length, strlen(jobs));
    rostering_body_free(&got);
}

rostering_error *want_error(rostering_error *error, const char *code) {
    assert_non_null(error);
    assert_string_equal(error->code, code);
    assert_non_null(error->message);
    return error;
}

void want_fault(rostering_error *error, const char *code, const char *key) {
    assert_non_null(want_error(error, code)->key);
    assert_string_equal(error->key, key);
    rostering_error_free(error);
}

void want_line(fixture *f, const char *line) {
    size_t length = strlen(line);
    for (const char *at = service_last_request(f->service); at != NULL; at = strstr(at, "\r\n")) {
        at += strspn(at, "\r\n");
        if (strncasecmp(at, line, length) == 0 && at[length] == '\r') {
            return;
        }
    }
    fail_msg("no line %s in %s", line, service_last_request(f->service));
}

rostering_error *want_jobs_error(fixture *f, const char *code) {
    rostering_body jobs;
    return want_error(rostering_list_jobs(f->client, NULL, &jobs), code);
}

char *printed(const rostering_error *error) {
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    assert_non_null(file);
    rostering_error_print(file, error);
    fclose(file);
    return text;
}

/* The plugin is the one built in this repository; build/tests, the program, lies in it. */
int main(int argc, char **argv) {
    static char path[PATH_MAX];
    char self[PATH_MAX];
    snprintf(self, sizeof self, "%s", argc > 0 ? argv[0] : "build/tests");
    snprintf(path, sizeof path, "%.3000s/../../../dist/rostering.wasm", dirname(self));
    plugin_path = path;
    setenv("NO_PROXY", "127.0.0.1", 1); /* libextism would ask a proxy even for loopback */
    /* First, since it must see libextism set its signal handlers. */
    int failed = run_open_tests();
    failed += run_call_tests() + run_request_tests() + run_token_tests() + run_error_tests() + run_network_tests() +
              run_driver_tests() + run_minimal_tests();
    return failed == 0 ? 0 : 1;
}
