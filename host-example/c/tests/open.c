/* Opening a client. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "call.h"
#include "tests.h"

/* The start of a module, and the section that a build of the plugin ends with; length counts its name and text. */
#define MODULE "\0asm\1\0\0\0"
#define SECTION(length, text) "\0" length "\11rostering" text

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

/* want_refused opens bytes that are no plugin for this library, as bytes and as a file. */
static void want_refused(const char *wasm, size_t size, const char *message) {
    const rostering_config config = {0};
    char path[] = TEMPORARY;
    int file = mkstemp(path);
    assert_true(file >= 0 && write(file, wasm, size) == (ssize_t)size && close(file) == 0);
    const rostering_options ways[] = {{.plugin = wasm, .plugin_size = size}, {.plugin_file = path}};
    for (size_t i = 0; i < 2; i++) {
        if (size == 0 && i == 1) continue; /* an empty file cannot be read */
        rostering_error *error = open_error(&config, &ways[i]);
        assert_string_equal(error->message, message);
        want_error(error, ROSTERING_PLUGIN_FAILED);
    }
    unlink(path);
}
#define WANT_REFUSED(bytes, message) want_refused(bytes, sizeof(bytes) - 1, message)

static void what_is_not_a_build_is_refused(void **state) {
    (void)state;
    static const char no_build[] = "the file is not a build of the plugin: it has no section \"rostering\"";
    WANT_REFUSED("", no_build);
    WANT_REFUSED("\0asm", no_build);
    WANT_REFUSED("\0asm\2\0\0\0" SECTION("\30", "{\"contract\":1}"), no_build);
    WANT_REFUSED("{\"wasm\":[]}", no_build);
    WANT_REFUSED(MODULE, no_build);
    WANT_REFUSED(MODULE "\0", no_build);                                /* no length */
    WANT_REFUSED(MODULE "\0\377\377\377\377\377\377", no_build);        /* a length of more than 32 bits */
    WANT_REFUSED(MODULE "\0\377\377\377\377\17", no_build);             /* a length of 4 GiB */
    WANT_REFUSED(MODULE "\0\0\0\2\2x", no_build);                       /* an empty one, and a name beyond its end */
    WANT_REFUSED(MODULE SECTION("\31", "{\"contract\":1}"), no_build);  /* longer than the file */
    WANT_REFUSED(MODULE "\1\30\11rostering{\"contract\":1}", no_build); /* not a custom one */
    WANT_REFUSED(MODULE "\0\30\11Rostering{\"contract\":1}", no_build); /* another name */
    WANT_REFUSED(MODULE SECTION("\12", ""), no_build);
    WANT_REFUSED(MODULE SECTION("\32", "{\"contract\":\"1\"}"), no_build);
    WANT_REFUSED(MODULE SECTION("\30", "[\"contract\",1]"), no_build);
    WANT_REFUSED(MODULE SECTION("\67", "{\"contract\":99999999999999999999999999999999}"), no_build);
    rostering_error *error = open_error(&(rostering_config){0}, &(rostering_options){.plugin_file = "/nowhere"});
    assert_string_equal(error->message, "the plugin cannot be read: /nowhere");
    want_error(error, ROSTERING_PLUGIN_FAILED);
}

static void another_contract_is_refused(void **state) {
    (void)state;
    static const char two[] = MODULE "\1\4\1\x60\0\0\0\3\1xy" SECTION("\30", "{\"contract\":2}");
    WANT_REFUSED(two, "the plugin has contract 2, and this library needs 1: take the library of the plugin's release");
    rostering *client;
    const rostering_options options = {.plugin = two, .plugin_size = sizeof two - 1};
    assert_false(rostering_open(&(rostering_config){0}, &options, &client, NULL)); /* error may be NULL */
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
    rostering *client;
    if (!rostering_open(&(rostering_config){0}, NULL, &client, NULL)) return -1;
    rostering_free(client);
    return sigaction(SIGILL, NULL, &trap_handler);
}

/* Its export begin does nothing but execute unreachable. */
static void a_plugin_that_traps(void **state) {
    (void)state;
    static const char broken[] = MODULE "\1\5\1\x60\0\1\x7f"
                                        "\3\2\1\0"
                                        "\7\11\1\5begin\0\0"
                                        "\12\5\1\3\0\0\13" SECTION("\30", "{\"contract\":1}");
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
        cmocka_unit_test(what_is_not_a_build_is_refused),
        cmocka_unit_test(another_contract_is_refused),
        TEST(another_build_is_used),
        cmocka_unit_test(the_library_tells_its_version),
        cmocka_unit_test(a_plugin_that_traps),
        TEST(config_reaches_the_plugin),
        TEST(the_plugin_sends_nothing_itself),
    };
    return cmocka_run_group_tests_name("open", tests, keep_traps, NULL);
}
