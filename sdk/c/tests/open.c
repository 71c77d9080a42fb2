/* Opening a client. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* want_refused opens text that is no plugin for this library, as bytes and as a file. */
static void want_refused(const char *text, const char *message) {
    const rostering_config config = {0};
    char path[] = TEMPORARY;
    size_t size = strlen(text);
    int file = mkstemp(path);
    assert_true(file >= 0 && write(file, text, size) == (ssize_t)size && close(file) == 0);
    const rostering_options ways[] = {{.plugin = text, .plugin_size = size}, {.plugin_file = path}};
    for (size_t i = 0; i < 2; i++) {
        rostering_error *error = open_error(&config, &ways[i]);
        if (strncmp(error->message, message, strlen(message)) != 0) fail_msg("%s", error->message);
        want_error(error, ROSTERING_PLUGIN_FAILED);
        rostering *client;
        assert_false(rostering_open(&config, &ways[i], &client, NULL)); /* error may be NULL */
    }
    unlink(path);
}

static void what_cannot_be_loaded_is_refused(void **state) {
    (void)state;
    want_refused("no plugin", "the plugin cannot be loaded: ");
    rostering_error *error = open_error(&(rostering_config){0}, &(rostering_options){.plugin_file = "/nowhere"});
    assert_string_equal(error->message, "the plugin cannot be read: /nowhere");
    want_error(error, ROSTERING_PLUGIN_FAILED);
}

static void another_contract_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *version, *message;
    } table[] = {
        {"{\"version\":\"9.9.9\",\"contract\":3}", "the plugin has contract 3, and this library needs contract 2: use "
                                                   "the library from the plugin's release"},
        {"{\"version\":\"0.1.0\",\"contract\":\"2\"}",
            "the plugin does not tell its contract, so it has contract 1 or "},
        {"[2]", "the plugin does not tell its contract, so it has contract 1 or "},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char *plugin = fake_plugin(table[i].version, NULL, NULL);
        want_refused(plugin, table[i].message);
        free(plugin);
    }
    want_refused("(module)",
        "the plugin does not tell its contract, so it has contract 1 or is another plugin, and this "
        "library needs contract 2: use the library from the plugin's release");
}

static void another_build_is_used(void **state) {
    fixture *f = *state;
    f->options.plugin_file = "../../dist/rostering-nowasi.wasm";
    reopen(f);
    want_jobs(f->client);
}

static void the_library_tells_its_version(void **state) {
    (void)state;
    char *version = NULL;
    size_t size = 0;
    FILE *file = fopen("../../VERSION", "r");
    assert_non_null(file);
    assert_true(getline(&version, &size, file) > 1);
    fclose(file);
    version[strcspn(version, "\n")] = '\0';
    assert_string_equal(rostering_version(), version);
    assert_string_equal(ROSTERING_VERSION, version);
    free(version);
}

/*
 * libextism catches traps of a plugin as signals, with handlers that it sets when the first instance is made. cmocka
 * has handlers of its own, set for each test, and they came later.
 */
static struct sigaction trap_handler;

static int keep_traps(void **state) {
    (void)state;
    rostering_error_free(open_error(&(rostering_config){0}, NULL)); /* an instance judges the config */
    return sigaction(SIGILL, NULL, &trap_handler);
}

static void a_plugin_that_traps(void **state) {
    (void)state;
    char *broken = fake_plugin(own_version, NULL, NULL);
    rostering *client;
    const rostering_options options = {.plugin = broken, .plugin_size = strlen(broken)};
    assert_int_equal(sigaction(SIGILL, &trap_handler, NULL), 0);
    assert_true(rostering_open(&(rostering_config){0}, &options, &client, NULL));
    rostering_error *error = want_no_jobs(client, ROSTERING_PLUGIN_FAILED);
    assert_false(error->retryable);
    assert_null(strchr(error->message, '\n'));
    rostering_error_free(error);
    rostering_free(client);
    free(broken);
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
}

/* want_invalid opens a client whose config the plugin refuses, with the plugin's own error. */
static void want_invalid(const rostering_config *config, rostering_code code, const char *key) {
    rostering_error *error = open_error(config, NULL);
    assert_string_equal(error->key, key);
    assert_non_null(error->message);
    assert_false(error->retryable);
    want_error(error, code);
}

static void a_config_at_fault_is_refused(void **state) {
    fixture *f = *state;
    rostering_config config = f->config;
    config.environment = (rostering_environment)7;
    want_invalid(&config, ROSTERING_CONFIG_INVALID, "environment");
    config = f->config;
    config.client_id = "";
    want_invalid(&config, ROSTERING_CONFIG_MISSING, "client_id");
    config = f->config;
    config.base_url = "ftp://service.example";
    want_invalid(&config, ROSTERING_CONFIG_INVALID, "base_url");
    assert_int_equal(sandbox_requests(f->sandbox, AUTH) + sandbox_requests(f->sandbox, JOBS), 0);
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
        cmocka_unit_test(what_cannot_be_loaded_is_refused),
        cmocka_unit_test(another_contract_is_refused),
        TEST(another_build_is_used),
        cmocka_unit_test(the_library_tells_its_version),
        cmocka_unit_test(a_plugin_that_traps),
        TEST(config_reaches_the_plugin),
        TEST(a_config_at_fault_is_refused),
        TEST(the_plugin_sends_nothing_itself),
    };
    return cmocka_run_group_tests_name("open", tests, keep_traps, NULL);
}
