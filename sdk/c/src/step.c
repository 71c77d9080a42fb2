#include "step.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "error.h"

bool rostering_is_at(const rostering_progress *at, const char *kind) {
    return at->error == NULL && strcmp(json_string_value(json_object_get(at->step, "step")), kind) == 0;
}

bool rostering_is_shared(const rostering_progress *at) {
    const char *whose = json_string_value(json_object_get(at->step, "for"));
    return rostering_is_at(at, "store") || (rostering_is_at(at, "request") && strcmp(whose, "token") == 0);
}

/* ask takes over the input; NULL means that memory ran out. */
static void ask(rostering_progress *at, const char *export, char *input) {
    json_decref(at->step);
    at->step = NULL;
    at->wakes = atomic_load(&at->core->wakes);
    bool good = input != NULL ? rostering_plugin_call(&at->core->plugin, export, input, &at->step, &at->error)
                              : rostering_out_of_memory(&at->error);
    free(input);
    if (good && !json_is_string(json_object_get(at->step, "step"))) {
        rostering_fail(&at->error, ROSTERING_PLUGIN_FAILED, NULL, "the plugin did not return a step");
    }
    bool lost = at->error != NULL && at->error->code == ROSTERING_NETWORK_ERROR;
    if (lost) at->error->curl_code = at->curl_code;
}

void rostering_begin(rostering_progress *at, const char *call, const char *input) {
    char *text = NULL;
    const char *accepts = at->core->store.get != NULL ? "\"wait\",\"store\"" : "\"wait\"";
    int n = asprintf(&text, "{\"call\":\"%s\",\"accepts\":[%s],\"input\":%s}", call, accepts, input);
    ask(at, "begin", n < 0 ? NULL : text);
}

void rostering_resume(rostering_progress *at, json_t *result) {
    json_object_set(result, "flow", json_object_get(at->step, "flow"));
    if (at->now == NULL) json_object_set_new(result, "now", json_integer((json_int_t)time(NULL)));
    if (at->now != NULL) json_object_set_new(result, "now", json_loads(at->now, JSON_DECODE_ANY, NULL)); /* unless "" */
    char *input = json_dumps(result, JSON_COMPACT);
    json_decref(result);
    ask(at, "resume", input);
}

json_t *rostering_result(rostering_progress *at, const rostering_outcome *outcome) {
    const rostering_response *r = &outcome->response;
    at->curl_code = outcome->curl_code;
    if (r->status == 0) return json_pack("{s:o}", "failed", rostering_utf8(outcome->failed, strlen(outcome->failed)));
    json_t *headers = json_object();
    for (const rostering_pair *h = r->headers; h->name != NULL; h++) {
        json_t *values = json_object_get(headers, h->name);
        if (values == NULL) json_object_set_new(headers, h->name, values = json_array());
        json_array_append_new(values, rostering_utf8(h->value, strlen(h->value)));
    }
    bool wanted = json_object_get(at->step, "limit") != NULL || !rostering_is_success(r->status);
    json_t *body = wanted ? rostering_utf8(r->body, r->body_length) : NULL;
    return json_pack("{s:i, s:o, s:o*}", "status", r->status, "headers", headers, "body", body);
}

bool rostering_continues(rostering_progress *at, rostering_end end) {
    if (end == ROSTERING_END_CANCELED) rostering_fail(&at->error, ROSTERING_CANCELED, NULL, "the call was canceled");
    if (end == ROSTERING_END_CLOSED) rostering_fail(&at->error, ROSTERING_CLOSED, NULL, "the client was closed");
    if (end == ROSTERING_END_TIMED_OUT) {
        rostering_fail_with(&at->error,
            json_pack("{s:s, s:s, s:b}", "code", "network_error", "message", "the call timed out", "retryable", true));
    }
    return end == ROSTERING_END_READY;
}

int64_t rostering_ms(const json_t *step, const char *field) {
    return (int64_t)(1000 * json_number_value(json_object_get(step, field)));
}
