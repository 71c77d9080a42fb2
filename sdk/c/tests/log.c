/* The log of the plugin, in a callback. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "tests.h"

/* The lines of a log, by level. */
typedef struct lines {
    char text[2][8192];
    int n[2];
} lines;

static void keep(void *context, rostering_log_level level, const char *line) {
    lines *to = context;
    size_t length = strlen(to->text[level]);
    assert_true(level == ROSTERING_LOG_DEBUG || level == ROSTERING_LOG_WARN);
    snprintf(to->text[level] + length, sizeof to->text[level] - length, "%s\n", line);
    to->n[level]++;
}

static rostering_client *open_with_log(fixture *f, lines *to) {
    f->options.log = keep;
    f->options.log_context = to;
    return open_another(f);
}

static void each_response_and_warning_is_logged(void **state) {
    fixture *f = *state;
    lines logged = {0};
    rostering_client *client = open_with_log(f, &logged);
    want_jobs(client);
    /* The plugin does not see the response of the last step, which has the jobs. */
    char want[256];
    snprintf(want, sizeof want, "HTTP 200 to POST %s/connect/token\n", f->config.auth_url + strlen("http://"));
    assert_string_equal(logged.text[ROSTERING_LOG_DEBUG], want);
    assert_int_equal(logged.n[ROSTERING_LOG_WARN], 0);
    sandbox_fault(f->sandbox, JOBS, "{s:i, s:i}", "status", 401, "requests", 1);
    want_jobs(client);
    assert_int_equal(logged.n[ROSTERING_LOG_WARN], 1);
    assert_null(strstr(logged.text[ROSTERING_LOG_DEBUG], f->config.client_secret));
    rostering_client_free(client);
}

static void each_client_has_its_own_log(void **state) {
    fixture *f = *state;
    lines first_lines = {0}, second_lines = {0};
    rostering_client *first = open_with_log(f, &first_lines), *second = open_with_log(f, &second_lines);
    want_jobs(f->client); /* without a log */
    want_jobs(first);
    assert_int_equal(first_lines.n[ROSTERING_LOG_DEBUG], 1);
    assert_int_equal(second_lines.n[ROSTERING_LOG_DEBUG], 0);
    want_jobs(second);
    assert_int_equal(first_lines.n[ROSTERING_LOG_DEBUG], 1);
    assert_int_equal(second_lines.n[ROSTERING_LOG_DEBUG], 1);
    rostering_client_free(first);
    rostering_client_free(second);
}

enum { THREADS = 8, TOKENS = 10 };

static void *get_tokens(void *client) {
    for (int i = 0; i < TOKENS; i++) {
        rostering_token *token;
        rostering_token_request request;
        rostering_token_request_init(&request, sizeof request);
        request.force = true;
        if (!rostering_get_token(client, &request, NULL, &token, NULL)) return client;
        rostering_token_free(token);
    }
    return NULL;
}

static void no_line_of_concurrent_clients_is_lost(void **state) {
    fixture *f = *state;
    static lines logged[THREADS];
    rostering_client *clients[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        logged[i] = (lines){0};
        clients[i] = open_with_log(f, &logged[i]);
        assert_int_equal(pthread_create(&threads[i], NULL, get_tokens, clients[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
        rostering_client_free(clients[i]);
        assert_int_equal(logged[i].n[ROSTERING_LOG_DEBUG], TOKENS);
    }
}

int open_with_the_log_taken(void) {
    lines logged = {0};
    rostering_client *client;
    rostering_error *error = NULL;
    const rostering_config config = new_config();
    rostering_options options = new_options();
    options.log = keep;
    options.log_context = &logged;
    extism_log_file("stderr", "warn");
    bool opened = rostering_client_open(&config, &options, &client, &error);
    bool refused = !opened && error->code == ROSTERING_CONFIG_INVALID && strcmp(error->key, "log") == 0;
    rostering_error_free(error);
    rostering_client_free(client);
    return refused ? 0 : 1;
}

static int fail_to_get(void *context, int64_t timeout_ms, const char *key, char **value) {
    (void)context, (void)timeout_ms, (void)key, (void)value;
    return EACCES;
}

static void store_warning(void **state) {
    fixture *f = *state;
    lines logged = {0};
    rostering_store *store = rostering_memory_store_new();
    store->get = fail_to_get;
    f->options.store = store;
    rostering_client *client = open_with_log(f, &logged);
    for (int i = 0; i < 3; i++) {
        assert_true(rostering_clear_token(client, NULL));
        want_jobs(client);
    }
    assert_int_equal(sandbox_requests(f->sandbox, AUTH), 3);
    assert_int_equal(logged.n[ROSTERING_LOG_WARN], 1);
    want_part(logged.text[ROSTERING_LOG_WARN], "the store failed to get: Permission denied");
    client->core->warned_ms -= 60000; /* a minute later */
    assert_true(rostering_clear_token(client, NULL));
    want_jobs(client);
    assert_int_equal(logged.n[ROSTERING_LOG_WARN], 2);
    rostering_client_free(client);
    f->options.log = NULL;
    client = open_another(f);
    want_jobs(client);
    rostering_client_free(client);
    rostering_store_free(store);
}

static void log_is_refused_if_the_program_uses_it(void **state) {
    (void)state;
    assert_int_equal(system("build/tests log-taken"), 0);
}

int run_log_tests(void) {
    const struct CMUnitTest tests[] = {
        TEST(each_response_and_warning_is_logged),
        TEST(each_client_has_its_own_log),
        TEST(no_line_of_concurrent_clients_is_lost),
        TEST(store_warning),
        cmocka_unit_test(log_is_refused_if_the_program_uses_it),
    };
    return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
