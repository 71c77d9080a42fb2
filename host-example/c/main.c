/* The example: a token, the jobs twice, and an error. It reads its config from the environment; see README.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rostering.h"

static const char *required(const char *name, bool *complete) {
    const char *value = getenv(name);
    if (value != NULL && *value != '\0') return value;
    fprintf(stderr, "set %s\n", name);
    *complete = false;
    return "";
}

static bool read_config(rostering_config *config) {
    bool complete = true;
    const char *environment = required("ROSTERING_ENVIRONMENT", &complete);
    *config = (rostering_config){
        .environment = strcmp(environment, "production") == 0 ? ROSTERING_PRODUCTION : ROSTERING_STAGE,
        .auth_url = required("ROSTERING_AUTH_URL", &complete),
        .base_url = required("ROSTERING_BASE_URL", &complete),
        .client_id = required("ROSTERING_CLIENT_ID", &complete),
        .client_secret = required("ROSTERING_CLIENT_SECRET", &complete),
        .customer_id = required("ROSTERING_CUSTOMER_ID", &complete),
        .user_id = required("ROSTERING_USER_ID", &complete),
    };
    return complete;
}

static bool failed(rostering_error *error) {
    rostering_error_print(stderr, error);
    rostering_error_free(error);
    return false;
}

/* show_log shows what the plugin warns of. */
static void show_log(void *context, rostering_log_level level, const char *line) {
    (void)context;
    if (level == ROSTERING_LOG_WARN) fprintf(stderr, "warning: %s\n", line);
}

static bool show_token(rostering *client) {
    rostering_token token;
    rostering_error *error;
    if (!rostering_get_token(client, NULL, NULL, &token, &error)) return failed(error);
    time_t expires_at = (time_t)token.expires_at;
    printf("token       %.8s… (%zu characters), expires %s", token.access_token, strlen(token.access_token),
        ctime(&expires_at));
    rostering_token_free(&token);
    return true;
}

static bool show_jobs(rostering *client, const char *title) {
    rostering_response jobs;
    rostering_error *error;
    if (!rostering_list_jobs(client, NULL, NULL, &jobs, &error)) return failed(error);
    const int most = 200;
    printf("%-11s %d, %zu bytes: %.*s%s\n", title, jobs.status, jobs.body_length, most, jobs.body,
        jobs.body_length > (size_t)most ? "…" : "");
    rostering_response_free(&jobs);
    return true;
}

/* show_error shows the error of a wrong secret, in both forms. */
static bool show_error(rostering *client) {
    rostering_token token;
    rostering_error *error = NULL;
    if (rostering_get_token(client, NULL, NULL, &token, &error)) {
        rostering_token_free(&token);
        fprintf(stderr, "a wrong secret was accepted\n");
        return false;
    }
    char *json = rostering_error_json(error);
    printf("an error    ");
    rostering_error_print(stdout, error);
    printf("as JSON     %s\n", json != NULL ? json : "");
    bool expected = error->code == ROSTERING_TOKEN_ENDPOINT_REJECTED;
    free(json);
    rostering_error_free(error);
    return expected;
}

int main(void) {
    rostering_config config;
    if (!read_config(&config)) return EXIT_FAILURE;
    const rostering_options options = {.log = show_log};
    printf("rostering   %s\n", rostering_version());
    rostering *client = NULL, *wrong = NULL;
    rostering_error *error;
    bool good = rostering_open(&config, &options, &client, &error) || failed(error);
    /* All three use one token, which is requested once. */
    good = good && show_token(client) && show_jobs(client, "jobs") && show_jobs(client, "jobs again");
    config.client_secret = "not-the-secret";
    good = good && (rostering_open(&config, &options, &wrong, &error) || failed(error)) && show_error(wrong);
    rostering_free(wrong);
    rostering_free(client);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
