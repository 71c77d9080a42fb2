/* Opening a client, and the manifest that it is made of. */
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "manifest.h"
#include "tests.h"

static json_t *manifest_of(const rostering_config *config, bool sends) {
    char *text = NULL;
    assert_null(rostering_manifest("rostering.wasm", config, sends, &text));
    json_t *manifest = json_loads(text, 0, NULL);
    free(text);
    assert_non_null(manifest);
    return manifest;
}

static void want_manifest(const rostering_config *config, bool sends, const char *want) {
    json_t *got = manifest_of(config, sends), *wanted = json_loads(want, 0, NULL);
    assert_non_null(wanted);
    assert_true(json_equal(got, wanted));
    json_decref(got);
    json_decref(wanted);
}

static void config_becomes_a_manifest(void **state) {
    (void)state;
    want_manifest(&(rostering_config){0}, true,
        "{\"wasm\":[{\"path\":\"rostering.wasm\"}],\"config\":{},"
        "\"allowed_hosts\":[],\"timeout_ms\":30000}");
    rostering_config all = {"stage", "https://Login.example:8443/x", "http://[::1]:80", "id", "secret", "customer",
        "user", "scope", 90, true, -1, NULL, NULL};
    want_manifest(&all, true,
        "{\"wasm\":[{\"path\":\"rostering.wasm\"}],\"config\":{\"environment\":\"stage\","
        "\"auth_url\":\"https://Login.example:8443/x\",\"base_url\":\"http://[::1]:80\","
        "\"client_id\":\"id\",\"client_secret\":\"secret\",\"customer_id\":\"customer\","
        "\"user_id\":\"user\",\"scope\":\"scope\",\"refresh_margin\":\"90\",\"allow_http\":\"true\"},"
        "\"allowed_hosts\":[\"login.example\",\"[[]::1]\"]}");
    want_manifest(
        &(rostering_config){.auth_url = "no url", .base_url = "https://*", .refresh_margin = -1, .timeout_ms = 5}, true,
        "{\"wasm\":[{\"path\":\"rostering.wasm\"}],\"config\":{\"auth_url\":\"no url\",\"base_url\":\"https://*\","
        "\"refresh_margin\":\"0\"},\"allowed_hosts\":[\"\"],\"timeout_ms\":5}");
}

static void text_that_is_no_utf8_is_named(void **state) {
    (void)state;
    rostering *client;
    rostering_error *error = want_error(
        rostering_open(plugin_path, &(rostering_config){.user_id = "\xff"}, &client), ROSTERING_CONFIG_INVALID);
    assert_string_equal(error->key, "user_id");
    rostering_error_free(error);
    error = want_error(rostering_open("\xff", &(rostering_config){0}, &client), ROSTERING_CONFIG_INVALID);
    assert_string_equal(error->key, "wasm");
    rostering_error_free(error);
}

static void missing_file_is_named(void **state) {
    (void)state;
    rostering *client;
    rostering_error *error =
        want_error(rostering_open("none.wasm", &(rostering_config){0}, &client), ROSTERING_PLUGIN_FAILED);
    assert_non_null(strstr(error->cause, "none.wasm"));
    rostering_error_free(error);
}

/* open_bytes opens a client with a module that is written here. */
static rostering_error *open_bytes(const char *bytes, size_t length, rostering **client) {
    char path[] = "/tmp/rostering-test-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, bytes, length), length);
    close(file);
    rostering_error *error = rostering_open(path, &(rostering_config){0}, client);
    unlink(path);
    return error;
}

static void other_plugin_is_refused(void **state) {
    (void)state;
    static const char empty[8] = "\0asm\1\0\0";
    rostering *client;
    rostering_error_free(want_error(open_bytes(empty, sizeof empty, &client), ROSTERING_PLUGIN_FAILED));
}

/*
 * libextism catches traps of a plugin as signals, with handlers that it sets when the first instance is made. cmocka
 * has handlers of its own, set for each test, and they came later.
 */
static struct sigaction trap_handler;

static int keep_traps(void **state) {
    (void)state;
    rostering *client;
    if (rostering_open(plugin_path, &(rostering_config){0}, &client) != NULL) {
        return -1;
    }
    rostering_close(client);
    return sigaction(SIGILL, NULL, &trap_handler);
}

static void give_traps_back(void) {
    assert_int_equal(sigaction(SIGILL, &trap_handler, NULL), 0);
}

/* Both exports of this plugin do nothing but execute unreachable. */
static void fault_of_the_plugin_is_no_network_error(void **state) {
    (void)state;
    static const char broken[] = "\0asm\1\0\0\0"
                                 "\1\5\1\x60\0\1\x7f"
                                 "\3\2\1\0"
                                 "\7\x15\2\5begin\0\0\11list_jobs\0\0"
                                 "\12\5\1\3\0\0\13";
    give_traps_back();
    rostering *client;
    assert_null(open_bytes(broken, sizeof broken - 1, &client));
    rostering_body jobs;
    rostering_error *error = want_error(rostering_list_jobs(client, NULL, &jobs), ROSTERING_PLUGIN_FAILED);
    assert_false(error->retryable);
    assert_non_null(error->cause);
    rostering_error_free(error);
    rostering_close(client);
}

int run_open_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(config_becomes_a_manifest),
        cmocka_unit_test(text_that_is_no_utf8_is_named),
        cmocka_unit_test(missing_file_is_named),
        cmocka_unit_test(other_plugin_is_refused),
        cmocka_unit_test(fault_of_the_plugin_is_no_network_error),
    };
    return cmocka_run_group_tests_name("open", tests, keep_traps, NULL);
}
