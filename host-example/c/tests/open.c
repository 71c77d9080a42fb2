/* Opening a client. */
#include <signal.h>
#include <string.h>

#include "call.h"
#include "tests.h"

static rostering_error *open_error(const rostering_config *config, const rostering_options *options) {
    rostering *client;
    rostering_error *error = NULL;
    assert_false(rostering_open(config, options, &client, &error));
    assert_null(client);
    assert_non_null(error);
    return error;
}

static void a_config_that_is_not_utf8_is_named(void **state) {
    (void)state;
    rostering_error *error = open_error(&(rostering_config){.client_secret = "\xff"}, NULL);
    want_code(error, ROSTERING_CONFIG_INVALID);
    assert_string_equal(error->key, "client_secret");
    rostering_error_free(error);
}

static void what_is_not_a_plugin_is_refused(void **state) {
    (void)state;
    rostering *client;
    const rostering_config config = {0};
    const rostering_options options = {.plugin = "\0asm\2", .plugin_size = 5};
    want_error(open_error(&config, &options), ROSTERING_PLUGIN_FAILED);
    assert_false(rostering_open(&config, &options, &client, NULL)); /* error may be NULL */
}

/*
 * libextism catches traps of a plugin as signals, with handlers that it sets when the first instance is made. cmocka
 * has handlers of its own, set for each test, and they came later.
 */
static struct sigaction trap_handler;

static int keep_traps(void **state) {
    (void)state;
    rostering *client;
    if (!rostering_open(&(rostering_config){0}, NULL, &client, NULL)) return -1;
    rostering_free(client);
    return sigaction(SIGILL, NULL, &trap_handler);
}

/* Its export begin does nothing but execute unreachable. */
static void a_plugin_that_traps(void **state) {
    (void)state;
    static const char broken[] = "\0asm\1\0\0\0"
                                 "\1\5\1\x60\0\1\x7f"
                                 "\3\2\1\0"
                                 "\7\11\1\5begin\0\0"
                                 "\12\5\1\3\0\0\13";
    rostering *client;
    const rostering_options options = {.plugin = broken, .plugin_size = sizeof broken - 1};
    assert_int_equal(sigaction(SIGILL, &trap_handler, NULL), 0);
    assert_true(rostering_open(&(rostering_config){0}, &options, &client, NULL));
    rostering_error *error = want_no_jobs(client, ROSTERING_PLUGIN_FAILED);
    assert_false(error->retryable);
    assert_null(strchr(error->message, '\n'));
    rostering_error_free(error);
    rostering_free(client);
}

static void config_reaches_the_plugin(void **state) {
    fixture *f = *state;
    f->config.environment = ROSTERING_NO_ENVIRONMENT;
    f->config.scope = "a-scope";
    f->config.refresh_margin = -1;
    reopen(f);
    rostering_error *error = want_no_jobs(f->client, ROSTERING_TOKEN_ENDPOINT_REJECTED);
    assert_string_equal(error->oauth_error, "invalid_scope");
    rostering_error_free(error);
    f->config.environment = (rostering_environment)7;
    reopen(f);
    error = want_no_jobs(f->client, ROSTERING_CONFIG_INVALID);
    assert_string_equal(error->key, "environment");
    rostering_error_free(error);
    f->config.environment = ROSTERING_PRODUCTION;
    f->config.client_id = "";
    reopen(f);
    error = want_no_jobs(f->client, ROSTERING_CONFIG_MISSING);
    assert_string_equal(error->key, "client_id");
    rostering_error_free(error);
}

static void the_plugin_sends_nothing_itself(void **state) {
    fixture *f = *state;
    rostering_error *error = NULL;
    assert_false(rostering_plugin_call(&f->client->plugin, "list_jobs", "{\"now\":1800000000}", NULL, &error));
    want_error(error, ROSTERING_PLUGIN_FAILED);
    assert_int_equal(sandbox_requests(f->sandbox, AUTH), 0);
}

int run_open_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_config_that_is_not_utf8_is_named),
        cmocka_unit_test(what_is_not_a_plugin_is_refused),
        cmocka_unit_test(a_plugin_that_traps),
        TEST(config_reaches_the_plugin),
        TEST(the_plugin_sends_nothing_itself),
    };
    return cmocka_run_group_tests_name("open", tests, keep_traps, NULL);
}
