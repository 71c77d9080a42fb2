/*
 * The host example: a token, the jobs twice, and an error. It reads its config from the environment; see README.md.
 */
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "extism.h"
#include "rostering.h"

static const char *required(const char *name, bool *complete) {
    const char *value = getenv(name);
    if (value == NULL || *value == '\0') {
        fprintf(stderr, "set %s\n", name);
        *complete = false;
    }
    return value;
}

static bool read_config(rostering_config *config) {
    bool complete = true;
    *config = (rostering_config){
        .auth_url = required("ROSTERING_AUTH_URL", &complete),
        .base_url = required("ROSTERING_BASE_URL", &complete),
        .environment = required("ROSTERING_ENVIRONMENT", &complete),
        .client_id = required("ROSTERING_CLIENT_ID", &complete),
        .client_secret = required("ROSTERING_CLIENT_SECRET", &complete),
        .customer_id = required("ROSTERING_CUSTOMER_ID", &complete),
        .user_id = required("ROSTERING_USER_ID", &complete),
    };
    return complete;
}

/* wasm_path gives ROSTERING_WASM, or the plugin built in this repository, beside which the program lives. */
static const char *wasm_path(char *buffer, size_t size) {
    const char *chosen = getenv("ROSTERING_WASM");
    if (chosen != NULL && *chosen != '\0') {
        return chosen;
    }
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n < 0) {
        return "rostering.wasm";
    }
    self[n] = '\0';
    snprintf(buffer, size, "%s/../../../dist/rostering.wasm", dirname(self));
    return buffer;
}

static bool failed(rostering_error *error) {
    if (error == NULL) {
        return false;
    }
    rostering_error_print(stderr, error);
    rostering_error_free(error);
    return true;
}

static bool show_token(rostering *client) {
    rostering_token token;
    if (failed(rostering_get_token(client, false, &token))) {
        return false;
    }
    printf("token       ");
    rostering_token_print(stdout, &token);
    rostering_token_free(&token);
    return true;
}

static bool show_jobs(rostering *client, const char *title) {
    rostering_body jobs;
    if (failed(rostering_list_jobs(client, NULL, &jobs))) {
        return false;
    }
    int shown = jobs.length < 200 ? (int)jobs.length : 200;
    printf("%-11s %zu bytes: %.*s%s\n", title, jobs.length, shown, jobs.data, jobs.length > 200 ? "…" : "");
    rostering_body_free(&jobs);
    return true;
}

/* show_refusal shows what the error of a wrong secret looks like. */
static bool show_refusal(rostering *client) {
    rostering_token token;
    rostering_error *error = rostering_get_token(client, false, &token);
    if (error == NULL) {
        rostering_token_free(&token);
        fprintf(stderr, "a wrong secret was accepted\n");
        return false;
    }
    if (strcmp(error->code, ROSTERING_TOKEN_ENDPOINT_REJECTED) != 0) {
        return !failed(error);
    }
    printf("a wrong secret:\n");
    rostering_error_print(stdout, error);
    rostering_error_free(error);
    return true;
}

static bool run(const char *wasm, rostering_config config) {
    rostering *client;
    if (failed(rostering_open(wasm, &config, &client))) {
        return false;
    }
    /* All three use one token: it is asked for once. */
    bool done = show_token(client) && show_jobs(client, "jobs") && show_jobs(client, "jobs again");
    rostering_close(client);
    config.client_secret = "not-the-secret";
    if (!done || failed(rostering_open(wasm, &config, &client))) {
        return false;
    }
    done = show_refusal(client);
    rostering_close(client);
    return done;
}

int main(void) {
    rostering_config config;
    if (!read_config(&config)) {
        return EXIT_FAILURE;
    }
    extism_log_file("stderr", "extism::pdk=warn"); /* what the plugin warns of */
    char buffer[PATH_MAX + 64];
    printf("libextism   %s\n", extism_version());
    return run(wasm_path(buffer, sizeof buffer), config) ? EXIT_SUCCESS : EXIT_FAILURE;
}
