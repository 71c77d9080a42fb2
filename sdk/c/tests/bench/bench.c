/* Measures what warm calls cost, and the same requests with libcurl alone, for tests/cmd/bench in the top folder. */
#include <curl/curl.h>
#include <jansson.h>
#include <poll.h>
#include <pthread.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "rostering.h"

enum { MOST = 256 };

/* A thread that makes calls: with the client, or with the handle alone if that is not NULL. */
typedef struct worker {
    pthread_t thread;
    rostering_client *client;
    CURL *bare;
    size_t calls;
    int pause_ms;
    int64_t *wall_us;
} worker;

static void fail(const char *why) {
    fprintf(stderr, "bench: %s\n", why);
    exit(EXIT_FAILURE);
}

static void list_by_library(rostering_client *client) {
    rostering_response *jobs;
    rostering_error *error;
    if (!rostering_list_jobs(client, NULL, &jobs, &error)) fail(error->text);
    rostering_response_free(jobs);
}

static size_t receive(char *data, size_t size, size_t n, void *file) {
    return fwrite(data, size, n, file);
}

static void list_by_curl(CURL *curl) {
    char *body = NULL;
    size_t length = 0;
    long status = 0;
    FILE *file = open_memstream(&body, &length);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, file);
    CURLcode code = curl_easy_perform(curl);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    if (code != CURLE_OK || status != 200 || fclose(file) != 0) fail(curl_easy_strerror(code));
    free(body);
}

/* new_bare returns a handle with the options that all requests have. */
static CURL *new_bare(const rostering_config *config, const rostering_token *token) {
    CURL *curl = curl_easy_init();
    char line[40 << 10];
    struct curl_slist *lines = NULL;
    snprintf(line, sizeof line, "Authorization: Bearer %s", token->access_token);
    lines = curl_slist_append(lines, line);
    snprintf(line, sizeof line, "CUSTOMER_ID: %s", config->customer_id);
    lines = curl_slist_append(lines, line);
    snprintf(line, sizeof line, "USER_ID: %s", config->user_id);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, curl_slist_append(lines, line)); /* kept until the process ends */
    snprintf(line, sizeof line, "%s/jobs", config->base_url);
    curl_easy_setopt(curl, CURLOPT_URL, line);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, 30000L);
    return curl;
}

static int64_t microseconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void *run(void *argument) {
    worker *w = argument;
    for (size_t i = 0; i < w->calls; i++) {
        int64_t began = microseconds(CLOCK_MONOTONIC);
        w->bare != NULL ? list_by_curl(w->bare) : list_by_library(w->client);
        w->wall_us[i] = microseconds(CLOCK_MONOTONIC) - began;
        if (w->pause_ms > 0) poll(NULL, 0, w->pause_ms);
    }
    return NULL;
}

/* measure prints what so many calls cost. */
static void measure(worker *workers, size_t n, size_t calls) {
    int64_t *wall_us = calloc(calls, sizeof *wall_us), began = microseconds(CLOCK_PROCESS_CPUTIME_ID);
    size_t first = 0;
    if (wall_us == NULL) fail("out of memory");
    for (size_t i = 0; i < n; i++) {
        workers[i].calls = calls / n + (i < calls % n);
        workers[i].wall_us = wall_us + first;
        first += workers[i].calls;
        if (pthread_create(&workers[i].thread, NULL, run, &workers[i]) != 0) fail("no thread");
    }
    for (size_t i = 0; i < n; i++) pthread_join(workers[i].thread, NULL);
    printf("{\"cpu_us\":%lld,\"wall_us\":[", (long long)(microseconds(CLOCK_PROCESS_CPUTIME_ID) - began));
    for (size_t i = 0; i < calls; i++) printf(i > 0 ? ",%lld" : "%lld", (long long)wall_us[i]);
    puts("]}");
    fflush(stdout);
    free(wall_us);
}

int main(void) {
    rostering_config config;
    rostering_client *client = NULL;
    rostering_token *token = NULL;
    rostering_error *error = NULL;
    CURL *bare[MOST] = {0};
    if (!rostering_config_from_env(&config, sizeof config, &error) ||
        !rostering_client_open(&config, NULL, &client, &error) ||
        !rostering_get_token(client, NULL, NULL, &token, &error)) {
        fail(error->text);
    }
    list_by_library(client);
    json_t *line;
    while ((line = json_loadf(stdin, JSON_DISABLE_EOF_CHECK, NULL)) != NULL) {
        const char *who;
        int calls, at_once, pause_ms;
        worker workers[MOST];
        if (json_unpack(line, "{s:s, s:i, s:i, s:i}", "who", &who, "calls", &calls, "at_once", &at_once, "pause_ms",
                &pause_ms) != 0 ||
            at_once < 1 || at_once > MOST || calls < 1) {
            fail("not a line of tests/cmd/bench");
        }
        for (int i = 0; i < at_once; i++) {
            if (bare[i] == NULL) bare[i] = new_bare(&config, token);
            workers[i] = (worker){.client = client, .pause_ms = pause_ms};
            if (strcmp(who, "bare") == 0) workers[i].bare = bare[i];
        }
        measure(workers, (size_t)at_once, (size_t)calls);
        json_decref(line);
    }
    return EXIT_SUCCESS;
}
