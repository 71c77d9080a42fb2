/* Opening a client. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client.h"
#include "tests.h"

static void a_config_that_is_not_utf8_is_named(void **state) {
    (void)state;
    rostering_config config = new_config();
    config.client_secret = "\xff";
    want_error(open_error(&config, NULL), ROSTERING_CONFIG_INVALID, "client_secret");
}

/* want_refused opens content that is not a plugin for this library, as bytes and as a file. */
static void want_refused(const char *text, const char *message) {
    const rostering_config config = new_config();
    char path[] = TEMPORARY;
    size_t size = strlen(text);
    int file = mkstemp(path);
    assert_true(file >= 0 && write(file, text, size) == (ssize_t)size && close(file) == 0);
    rostering_options ways[] = {new_options(), new_options()};
    ways[0].plugin = text;
    ways[0].plugin_size = size;
    ways[1].plugin_file = path;
    for (size_t i = 0; i < 2; i++) {
        rostering_error *error = open_error(&config, &ways[i]);
        if (strncmp(error->message, message, strlen(message)) != 0) fail_msg("%s", error->message);
        want_error(error, ROSTERING_PLUGIN_FAILED, NULL);
        rostering_client *client;
        assert_false(rostering_client_open(&config, &ways[i], &client, NULL)); /* error may be NULL */
    }
    unlink(path);
}

static void what_cannot_be_loaded_is_refused(void **state) {
    (void)state;
    want_refused("no plugin", "the plugin cannot be loaded: ");
    const rostering_config config = new_config();
    rostering_options options = new_options();
    options.plugin_file = "/nowhere";
    rostering_error *error = open_error(&config, &options);
    assert_string_equal(error->message, "plugin_file is not a file that can be read: /nowhere");
    want_error(error, ROSTERING_PLUGIN_FAILED, "plugin_file");
}

static void another_contract_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *version, *message;
    } table[] = {
        {"{\"version\":\"9.9.9\",\"contract\":3}", "the plugin has contract 3, and this library needs contract 2: use "
                                                   "the library from the plugin's release"},
        {"{\"version\":\"0.1.0\",\"contract\":\"2\"}",
            "the plugin does not report its contract, so it has contract 1 or "},
        {"[2]", "the plugin does not report its contract, so it has contract 1 or "},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char *plugin = fake_plugin(table[i].version, NULL, NULL);
        want_refused(plugin, table[i].message);
        free(plugin);
    }
    want_refused("(module)",
        "the plugin does not report its contract, so it has contract 1 or is another plugin, and this "
        "library needs contract 2: use the library from the plugin's release");
}

static void another_build_is_used(void **state) {
    fixture *f = *state;
    f->options.plugin_file = "../../dist/rostering-nowasi.wasm";
    reopen(f);
    want_jobs(f->client);
}

static void the_library_has_the_version_of_the_project(void **state) {
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
 * then sets its own for each test.
 */
static struct sigaction trap_handler;

static int keep_traps(void **state) {
    (void)state;
    const rostering_config config = new_config();
    rostering_error_free(open_error(&config, NULL)); /* the plugin checks the config, so there was an instance */
    return sigaction(SIGILL, NULL, &trap_handler);
}

static void a_plugin_that_traps(void **state) {
    (void)state;
    char *broken = fake_plugin(own_version, NULL, NULL);
    rostering_client *client;
    const rostering_config config = new_config();
    rostering_options options = new_options();
    options.plugin = broken;
    options.plugin_size = strlen(broken);
    assert_int_equal(sigaction(SIGILL, &trap_handler, NULL), 0);
    assert_true(rostering_client_open(&config, &options, &client, NULL));
    rostering_error *error = want_no_jobs(client, ROSTERING_PLUGIN_FAILED);
    assert_false(error->retryable);
    assert_null(strchr(error->message, '\n'));
    rostering_error_free(error);
    rostering_client_free(client);
    free(broken);
}

static void config_reaches_the_plugin(void **state) {
    fixture *f = *state;
    f->config.environment = NULL;
    f->config.scope = "a-scope";
    f->config.refresh_margin = 0;
    reopen(f);
    rostering_error *error = want_no_jobs(f->client, ROSTERING_TOKEN_ENDPOINT_REJECTED);
    assert_string_equal(error->oauth_error, "invalid_scope");
    rostering_error_free(error);
}

static void config_at_open(void **state) {
    fixture *f = *state;
    rostering_config config = f->config;
    config.environment = "staging";
    want_error(open_error(&config, NULL), ROSTERING_CONFIG_INVALID, "environment");
    config = f->config;
    config.client_id = "";
    want_error(open_error(&config, NULL), ROSTERING_CONFIG_MISSING, "client_id");
    config = f->config;
    config.base_url = "ftp://service.example";
    want_error(open_error(&config, NULL), ROSTERING_CONFIG_INVALID, "base_url");
    config = f->config;
    config.refresh_margin = -1;
    want_error(open_error(&config, NULL), ROSTERING_CONFIG_INVALID, "refresh_margin");
    rostering_client_free(open_another(f));
    assert_int_equal(sandbox_requests(f->sandbox, AUTH) + sandbox_requests(f->sandbox, JOBS), 0);
}

static void config_from_env(void **state) {
    fixture *f = *state;
    static const char *const invalid[][3] = {{"ROSTERING_ALLOW_HTTP", "yes", "allow_http"},
        {"ROSTERING_REFRESH_MARGIN", "1m", "refresh_margin"}, {"ROSTERING_ENVIRONMENT", "staging", "environment"}};
    const char *name;
    json_t *value;
    rostering_config config;
    rostering_error *error = NULL;
    json_object_foreach(sandbox_env(f->sandbox), name, value) {
        setenv(name, json_string_value(value), 1);
    }
    setenv("ROSTERING_REFRESH_MARGIN", "0", 1);
    setenv("ROSTERING_ALLOW_HTTP", "true", 1);
    setenv("ROSTERING_SCOPE", "", 1);
    setenv("ROSTERING_SERVICE_HOST", "of Kubernetes", 1);
    assert_true(rostering_config_from_env(&config, sizeof config, NULL));
    assert_string_equal(config.user_id, f->config.user_id);
    assert_int_equal(config.refresh_margin, 0);
    assert_true(config.allow_http);
    assert_null(config.scope);
    f->config = config;
    reopen(f);
    want_jobs(f->client);
    rostering_client_free(f->client);
    assert_true(rostering_client_open_from_env(&f->client, NULL));
    want_jobs(f->client);
    setenv("ROSTERING_REFRESH_MARGIN", "", 1);
    setenv("ROSTERING_ALLOW_HTTP", "false", 1);
    assert_true(rostering_config_from_env(&config, sizeof config, NULL));
    assert_int_equal(config.refresh_margin, 60);
    assert_false(config.allow_http);
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++) {
        setenv(invalid[i][0], invalid[i][1], 1);
        assert_false(rostering_config_from_env(&config, sizeof config, &error));
        want_part(error->message, invalid[i][0]);
        want_error(error, ROSTERING_CONFIG_INVALID, invalid[i][2]);
        rostering_client *none;
        assert_false(rostering_client_open_from_env(&none, &error));
        assert_null(none);
        want_error(error, ROSTERING_CONFIG_INVALID, invalid[i][2]);
        setenv(invalid[i][0], "", 1);
    }
}

static void invalid_value(void **state) {
    fixture *f = *state;
    static const int64_t invalid[] = {0, -1, ROSTERING_CLIENT_TIMEOUT};
    for (size_t i = 0; i < 3; i++) {
        f->options.timeout_ms = invalid[i];
        want_error(open_error(&f->config, &f->options), ROSTERING_CONFIG_INVALID, "timeout_ms");
    }
    f->options = new_options();
    f->options.max_body = 0;
    want_error(open_error(&f->config, &f->options), ROSTERING_CONFIG_INVALID, "max_body");
}

/* A program that was built with another version of the header, or that does not call _init. */
static void structs_have_a_size(void **state) {
    fixture *f = *state;
    f->options.size = offsetof(rostering_options, max_body);
    f->options.max_body = 0; /* beyond the size */
    reopen(f);
    want_jobs(f->client);
    f->options.size = sizeof f->options + 8;
    rostering_error *error = open_error(&f->config, &f->options);
    want_part(error->message, "rostering_options has ");
    want_error(error, ROSTERING_CONFIG_INVALID, NULL);
    f->config.size = 0;
    error = open_error(&f->config, NULL);
    want_part(error->message, "call rostering_config_init first");
    want_error(error, ROSTERING_CONFIG_INVALID, NULL);
    char old[offsetof(rostering_config, refresh_margin)];
    rostering_config_init((rostering_config *)old, sizeof old); /* writes no byte more: gcc's sanitizer would see it */
    assert_int_equal(*(size_t *)old, sizeof old);
}

static void store_invalid(void **state) {
    fixture *f = *state;
    rostering_store *complete = rostering_memory_store_new(), store = *complete;
    f->options.store = &store;
    for (int i = 0; i < 4; i++) {
        store = *complete;
        if (i == 0) store.get = NULL;
        if (i == 1) store.add = NULL;
        if (i == 2) store.set = NULL;
        if (i == 3) store.size = 0;
        want_error(open_error(&f->config, &f->options), ROSTERING_CONFIG_INVALID, i < 3 ? "store" : NULL);
    }
    rostering_store_free(complete);
}

static void the_plugin_sends_nothing_itself(void **state) {
    fixture *f = *state;
    rostering_error *error = NULL;
    assert_false(rostering_plugin_call(&f->client->core->plugin, "list_jobs", "{\"now\":1800000000}", NULL, &error));
    want_error(error, ROSTERING_PLUGIN_FAILED, NULL);
    assert_int_equal(sandbox_requests(f->sandbox, AUTH), 0);
}

int run_open_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_config_that_is_not_utf8_is_named),
        cmocka_unit_test(what_cannot_be_loaded_is_refused),
        cmocka_unit_test(another_contract_is_refused),
        TEST(another_build_is_used),
        cmocka_unit_test(the_library_has_the_version_of_the_project),
        cmocka_unit_test(a_plugin_that_traps),
        TEST(config_reaches_the_plugin),
        TEST(config_at_open),
        TEST(config_from_env),
        TEST(invalid_value),
        TEST(structs_have_a_size),
        TEST(store_invalid),
        TEST(the_plugin_sends_nothing_itself),
    };
    return cmocka_run_group_tests_name("open", tests, keep_traps, NULL);
}
