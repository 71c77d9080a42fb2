/* The examples. The tests run in their folder. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests.h"

static void set_environment(const fixture *f) {
    const char *name;
    json_t *value;
    json_object_foreach(sandbox_env(f->sandbox), name, value) {
        setenv(name, json_string_value(value), 1);
    }
}

static void want_shown(const fixture *f, const char *command, const char *part) {
    char shown[4096];
    FILE *program = popen(command, "r");
    assert_non_null(program);
    shown[fread(shown, 1, sizeof shown - 1, program)] = '\0';
    assert_int_equal(pclose(program), 0);
    if (strstr(shown, part) == NULL) fail_msg("no %s in %s", part, shown);
    assert_null(strstr(shown, f->config.client_secret));
}

static void jobs_shows_the_jobs_or_an_error(void **state) {
    fixture *f = *state;
    set_environment(f);
    want_shown(f, "build/jobs 2>&1", "\"jobs\":[");
    setenv("ROSTERING_CLIENT_ID", "", 1);
    want_shown(f, "build/jobs 2>&1", "config_missing: ");
}

static void the_example_shows_all_three(void **state) {
    fixture *f = *state;
    set_environment(f);
    want_shown(f, "build/example 2>&1", "as JSON     {\"code\":\"token_endpoint_rejected\",");
    assert_int_equal(sandbox_requests(f->sandbox, JOBS), 2);
}

static void minimal_lists_the_jobs_with_the_sdk_alone(void **state) {
    fixture *f = *state;
    char path[] = TEMPORARY, command[64];
    int file = mkstemp(path);
    assert_true(file >= 0);
    json_t *manifest = json_pack("{s:[{s:s}], s:[s], s:{s:s, s:s, s:s, s:s, s:s, s:s, s:s}}", "wasm", "path",
        "../../dist/rostering.wasm", "allowed_hosts", "127.0.0.1", "config", "environment", "stage", "auth_url",
        f->config.auth_url, "base_url", f->config.base_url, "client_id", f->config.client_id, "client_secret",
        f->config.client_secret, "customer_id", f->config.customer_id, "user_id", f->config.user_id);
    assert_int_equal(json_dumpfd(manifest, file, 0), 0);
    json_decref(manifest);
    close(file);
    snprintf(command, sizeof command, "build/minimal %s 2>&1", path);
    want_shown(f, command, "\"jobs\":[");
    unlink(path);
}

int run_program_tests(void) {
    const struct CMUnitTest tests[] = {
        TEST(jobs_shows_the_jobs_or_an_error),
        TEST(the_example_shows_all_three),
        TEST(minimal_lists_the_jobs_with_the_sdk_alone),
    };
    return cmocka_run_group_tests_name("programs", tests, NULL, NULL);
}
