#include <stdlib.h>
#include <string.h>

#include "tests.h"

static const char *env(const fixture *f, const char *name) {
    return json_string_value(json_object_get(sandbox_env(f->sandbox), name));
}

int set_up(void **state) {
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->sandbox = sandbox_start();
    f->config = new_config();
    f->config.environment = env(f, "ROSTERING_ENVIRONMENT");
    f->config.auth_url = env(f, "ROSTERING_AUTH_URL");
    f->config.base_url = env(f, "ROSTERING_BASE_URL");
    f->config.client_id = env(f, "ROSTERING_CLIENT_ID");
    f->config.client_secret = env(f, "ROSTERING_CLIENT_SECRET");
    f->config.customer_id = env(f, "ROSTERING_CUSTOMER_ID");
    f->config.user_id = env(f, "ROSTERING_USER_ID");
    f->options = new_options();
    f->client = open_another(f);
    *state = f;
    return 0;
}

int tear_down(void **state) {
    fixture *f = *state;
    rostering_client_free(f->client);
    sandbox_close(f->sandbox);
    free(f);
    return 0;
}

rostering_client *open_another(const fixture *f) {
    rostering_client *client;
    rostering_error *error = NULL;
    rostering_client_open(&f->config, &f->options, &client, &error);
    if (error != NULL) fail_msg("%s", error->text);
    return client;
}

void reopen(fixture *f) {
    rostering_client_free(f->client);
    f->client = NULL;
    f->client = open_another(f);
}

rostering_error *open_error(const rostering_config *config, const rostering_options *options) {
    rostering_client *client;
    rostering_error *error = NULL;
    assert_false(rostering_client_open(config, options, &client, &error));
    assert_null(client);
    assert_non_null(error);
    assert_false(error->retryable);
    return error;
}

rostering_error *list_jobs(rostering_client *client, const rostering_call *call) {
    rostering_response *jobs;
    rostering_error *error = NULL;
    bool good = rostering_list_jobs(client, call, &jobs, &error);
    assert_true(good == (error == NULL) && good == (jobs != NULL));
    if (good) assert_true(jobs->status == 200 && strstr(jobs->body, "\"jobs\":[") != NULL);
    rostering_response_free(jobs);
    return error;
}

void want_jobs(rostering_client *client) {
    rostering_error *error = list_jobs(client, NULL);
    if (error != NULL) fail_msg("%s", error->text);
}

void want_sent(fixture *f, const char *name, const char *value) {
    json_t *request = sandbox_last_request(f->sandbox), *found = json_object_get(request, name);
    if (found == NULL) found = json_object_get(json_object_get(request, "headers"), name);
    const char *sent = json_string_value(found);
    assert_string_equal(sent != NULL ? sent : "(none)", value != NULL ? value : "(none)");
    json_decref(request);
}

void want_part(const char *text, const char *part) {
    if (strstr(text, part) == NULL) fail_msg("no %s in %s", part, text);
}

void want_error(rostering_error *error, rostering_code code, const char *key) {
    assert_non_null(error);
    if (error->code != code) fail_msg("%s", error->text);
    if (key != NULL) assert_string_equal(error->key != NULL ? error->key : "(none)", key);
    rostering_error_free(error);
}

rostering_error *want_no_jobs(rostering_client *client, rostering_code code) {
    rostering_error *error = list_jobs(client, NULL);
    assert_non_null(error);
    if (error->code != code) fail_msg("%s", error->text);
    return error;
}

const char own_version[] = "{\"version\":\"0.1.0\",\"contract\":2}";

static void write_export(FILE *wat, const char *name, const char *output, int at) {
    if (output == NULL) {
        fprintf(wat, "(func (export \"%s\") (result i32) unreachable)", name);
        return;
    }
    fprintf(wat, "(data (i32.const %d) \"", at);
    for (const char *c = output; *c != '\0'; c++) fprintf(wat, "\\%02x", (unsigned char)*c);
    fprintf(wat, "\") (func (export \"%s\") (result i32) (call $put (i32.const %d) (i64.const %zu)))", name, at,
        strlen(output));
}

/* It is in WebAssembly's text format, which libextism also reads. */
char *fake_plugin(const char *version, const char *begin, const char *resume) {
    static const char head[] = "(module"
                               " (import \"extism:host/env\" \"alloc\" (func $alloc (param i64) (result i64)))"
                               " (import \"extism:host/env\" \"store_u8\" (func $store (param i64 i32)))"
                               " (import \"extism:host/env\" \"output_set\" (func $output (param i64 i64)))"
                               " (memory 1)"
                               " (func $put (param $from i32) (param $length i64) (result i32)"
                               "  (local $block i64) (local $to i64) (local $end i64)"
                               "  (local.set $block (call $alloc (local.get $length)))"
                               "  (local.set $to (local.get $block))"
                               "  (local.set $end (i64.add (local.get $block) (local.get $length)))"
                               "  (loop $next"
                               "   (call $store (local.get $to) (i32.load8_u (local.get $from)))"
                               "   (local.set $from (i32.add (local.get $from) (i32.const 1)))"
                               "   (local.set $to (i64.add (local.get $to) (i64.const 1)))"
                               "   (br_if $next (i64.lt_u (local.get $to) (local.get $end))))"
                               "  (call $output (local.get $block) (local.get $length))"
                               "  (i32.const 0))"
                               " (func (export \"check\") (result i32) (i32.const 0))";
    char *text = NULL;
    size_t size = 0;
    FILE *wat = open_memstream(&text, &size);
    assert_non_null(wat);
    fputs(head, wat);
    write_export(wat, "version", version, 0);
    write_export(wat, "begin", begin, 1000);
    write_export(wat, "resume", resume, 2000);
    fputc(')', wat);
    fclose(wat);
    return text;
}

int main(int count, char **arguments) {
    if (count == 2 && strcmp(arguments[1], "log-taken") == 0) return open_with_the_log_taken();
    setenv("http_proxy", "http://127.0.0.1:2", 1); /* which no test may reach */
    /* First, since these tests must see libextism set its signal handlers. */
    int failed = run_open_tests();
    failed += run_call_tests() + run_request_tests() + run_error_tests() + run_retry_tests() + run_thread_tests() +
              run_store_tests() + run_tls_tests() + run_log_tests();
    return failed == 0 ? 0 : 1;
}
