/*
 * The host adapter: one JSON object per line on standard input, one response per line on standard output. A call uses
 * only libextism's C ABI, because that is what other languages bind to; drive is the library's loop.
 */
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base64.h"
#include "error.h"
#include "instance.h"

/* A drive or a close, on a thread of its own. */
typedef struct job {
    struct job *next;
    instance *on;
    json_t *request;
    rostering_cancel *cancel; /* of a drive */
} job;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for all below, and for standard output */
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;
static job *jobs;

/* respond takes over the response. */
static void respond(const json_t *request, json_t *response) {
    json_t *id = json_object_get(request, "id");
    if (response == NULL) response = json_pack("{s:s}", "trap", "the response is not UTF-8");
    if (id != NULL) json_object_set(response, "id", id);
    pthread_mutex_lock(&lock);
    json_dumpf(response, stdout, JSON_COMPACT);
    putchar('\n');
    fflush(stdout);
    pthread_mutex_unlock(&lock);
    json_decref(response);
}

static json_t *trap(const char *text) {
    return json_pack("{s:s}", "trap", text != NULL ? text : "no reason given");
}

static const char *text_of(const json_t *request, const char *name) {
    const char *text = json_string_value(json_object_get(request, name));
    return text != NULL ? text : "";
}

static json_t *encoded(const void *data, size_t length) {
    char *text = base64_encode(data, length);
    json_t *output = json_string(text);
    free(text);
    return output;
}

/* The status is 1 if the export returned that, after it set an error. Any other than 0 is a trap. */
static json_t *call_export(ExtismPlugin *plugin, const char *export, const uint8_t *input, size_t length) {
    int32_t status = extism_plugin_call(plugin, export, input, length);
    const uint8_t *output = extism_plugin_output_data(plugin);
    if (status == 0) return json_pack("{s:o}", "output", encoded(output, extism_plugin_output_length(plugin)));
    return status == 1 ? json_pack("{s:s}", "error", extism_plugin_error(plugin)) : trap(extism_plugin_error(plugin));
}

static json_t *call(const json_t *request, instance *i) {
    size_t length = 0;
    uint8_t *input = base64_decode(text_of(request, "input"), &length);
    if (input == NULL || instance_plugin(i) == NULL) return trap("not base64, or a closed instance");
    instance_clear_logs(i);
    rostering_plugin *shared = i->client != NULL ? &i->client->core->plugin : NULL;
    if (shared != NULL) pthread_mutex_lock(&shared->lock);
    if (shared != NULL) rostering_kept_drop(&shared->kept);
    json_t *response = call_export(instance_plugin(i), text_of(request, "export"), input, length);
    if (shared != NULL) pthread_mutex_unlock(&shared->lock);
    free(input);
    json_object_set_new(response, "logs", instance_logs(i));
    return response;
}

static json_t *failure(rostering_error *error) {
    json_t *response = error->code == ROSTERING_CANCELED ? json_pack("{s:b}", "canceled", 1) : NULL;
    if (error->code == ROSTERING_PLUGIN_FAILED) response = trap(error->message);
    if (response == NULL) response = json_pack("{s:s}", "error", error->json);
    rostering_error_free(error);
    return response;
}

/* read_input sets the call and its time, and returns whether the library can make that call. */
static bool read_input(const char *text, size_t length, rostering_plan *plan) {
    bool blank = strspn(text, " \t\r\n") == length;
    plan->input = json_loadb(blank ? "{}" : text, blank ? 2 : length, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
    const json_t *now = json_object_get(plan->input, "now");
    double seconds = json_number_value(now);
    bool readable =
        json_is_object(plan->input) && (now == NULL || json_is_number(now)) && seconds >= 0 && seconds < 1e15;
    plan->now =
        readable && seconds >= 1 ? (int64_t)seconds : 1; /* 0 would mean the clock; 1 is as unusable as no clock */
    json_object_del(plan->input, "now");
    return readable;
}

/* refuse passes an input that may be anything to the plugin, which must refuse it. */
static bool refuse(rostering_core *core, const char *call, const char *text, rostering_error **error) {
    char *input = NULL;
    if (asprintf(&input, "{\"call\":\"%s\",\"input\":%s}", call, text) < 0) abort();
    if (rostering_plugin_call(&core->plugin, "begin", input, NULL, error)) {
        rostering_fail(
            error, ROSTERING_PLUGIN_FAILED, NULL, "the plugin accepts %s, which the library cannot express", text);
    }
    free(input);
    return false;
}

static json_t *drive(const job *j) {
    size_t length = 0, body_length = 0;
    char *input = (char *)base64_decode(text_of(j->request, "input"), &length);
    uint8_t *body = base64_decode(text_of(j->request, "body"), &body_length);
    if (input == NULL || body == NULL) abort();
    input[length] = '\0'; /* there is room */
    rostering_core *core = j->on->client->core;
    json_int_t timeout_ms = json_integer_value(json_object_get(j->request, "timeout_ms"));
    rostering_plan plan = {.call = text_of(j->request, "export"),
        .body = &(rostering_body){.data = body, .length = body_length},
        .limits = {
            rostering_deadline(timeout_ms > 0 ? timeout_ms : core->options.timeout_ms), j->cancel, core->closing}};
    json_t *token = NULL;
    rostering_response *received = NULL;
    rostering_error *error = NULL;
    bool good = read_input(input, length, &plan) ? rostering_make(core, &plan, &token, &received, &error)
                                                 : refuse(core, plan.call, input, &error);
    char *output = json_dumps(token, JSON_COMPACT);
    json_t *response = !good            ? failure(error)
                       : output != NULL ? json_pack("{s:o}", "output", encoded(output, strlen(output)))
                                        : json_pack("{s:i, s:o}", "status", received->status, "output",
                                              encoded(received->body, received->body_length));
    rostering_response_free(received);
    json_decref(token);
    json_decref(plan.input);
    free(output);
    free(body);
    free(input);
    json_object_set_new(response, "logs", instance_logs(j->on));
    return response;
}

static void *run(void *argument) {
    job *j = argument;
    json_t *response = NULL;
    if (j->cancel != NULL) {
        response = drive(j);
        rostering_end_call(j->on->client->core);
    } else {
        rostering_client_close(j->on->client, ROSTERING_NO_TIMEOUT);
    }
    respond(j->request, response != NULL ? response : json_object());
    pthread_mutex_lock(&lock);
    job **place = &jobs;
    while (*place != j) place = &(*place)->next;
    *place = j->next;
    pthread_cond_signal(&ended);
    pthread_mutex_unlock(&lock);
    rostering_cancel_free(j->cancel);
    json_decref(j->request);
    free(j);
    return NULL;
}

/* start starts a job, whose thread responds. */
static void start(json_t *request, instance *on, rostering_cancel *cancel) {
    job *j = malloc(sizeof *j);
    pthread_t thread;
    if (j == NULL) abort();
    *j = (job){NULL, on, json_deep_copy(request), cancel};
    pthread_mutex_lock(&lock);
    j->next = jobs;
    jobs = j;
    pthread_mutex_unlock(&lock);
    if (pthread_create(&thread, NULL, run, j) != 0) abort();
    pthread_detach(thread);
}

/* The drive begins its call here, so that a close that is read later waits for it. */
static json_t *start_drive(json_t *request, instance *on) {
    rostering_error *error = NULL;
    if (on->client == NULL) return trap("not a client");
    if (!rostering_begin_call(on->client->core, &error)) return failure(error);
    instance_clear_logs(on);
    start(request, on, rostering_cancel_new());
    return NULL;
}

static json_t *cancel_drive(const json_t *request) {
    pthread_mutex_lock(&lock);
    for (job *j = jobs; j != NULL; j = j->next) {
        bool meant = json_equal(json_object_get(j->request, "id"), json_object_get(request, "target"));
        if (meant && j->cancel != NULL) rostering_cancel_calls(j->cancel);
    }
    pthread_mutex_unlock(&lock);
    return json_object();
}

static json_t *close_instance(json_t *request, instance *i) {
    if (i->client != NULL) {
        pthread_mutex_lock(&i->client->core->lock);
        i->client->core->closed = true; /* for what is read after this, even if the job has not run */
        pthread_mutex_unlock(&i->client->core->lock);
        start(request, i, NULL);
        return NULL;
    }
    extism_plugin_free(i->plain);
    i->plain = NULL;
    return json_object();
}

static json_t *create(const json_t *request) {
    rostering_error *error = NULL;
    return instance_create(request, &error) ? json_object() : failure(error);
}

static json_t *versions(void) {
    json_t *text =
        json_sprintf("libextism %s, libcurl %s", extism_version(), curl_version_info(CURLVERSION_NOW)->version);
    return json_pack("{s:o}", "versions", text);
}

/* handle returns NULL if a job will respond. */
static json_t *handle(json_t *request) {
    const char *op = text_of(request, "op");
    if (strcmp(op, "versions") == 0) return versions();
    if (strcmp(op, "create") == 0) return create(request);
    if (strcmp(op, "cancel") == 0) return cancel_drive(request);
    instance *i = instance_find(text_of(request, "instance"));
    if (i == NULL) return trap("no such instance");
    if (strcmp(op, "call") == 0) return call(request, i);
    if (strcmp(op, "drive") == 0) return start_drive(request, i);
    if (strcmp(op, "close") == 0) return close_instance(request, i);
    return trap("no such operation");
}

int main(void) {
    extism_log_custom("extism::pdk=debug");
    setenv("NO_PROXY", "127.0.0.1", 1); /* libextism would use a proxy even for loopback */
    json_t *request;
    while ((request = json_loadf(stdin, JSON_DISABLE_EOF_CHECK, NULL)) != NULL) {
        json_t *response = handle(request);
        if (response != NULL) respond(request, response);
        json_decref(request);
    }
    pthread_mutex_lock(&lock);
    while (jobs != NULL) pthread_cond_wait(&ended, &lock);
    pthread_mutex_unlock(&lock);
    instances_free();
    return feof(stdin) ? 0 : 1;
}
