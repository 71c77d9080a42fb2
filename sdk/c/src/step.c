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

static json_int_t now_of(const rostering_progress *at) {
    return at->now != 0 ? at->now : (json_int_t)time(NULL);
}

/* ask calls begin or resume with the fields, which it takes over. NULL means that memory ran out. */
static void ask(rostering_progress *at, const char *export, json_t *fields) {
    rostering_plugin *plugin = &at->core->plugin;
    char *input = json_dumps(fields, JSON_COMPACT);
    bool changes = strcmp(export, "begin") != 0 || json_object_get(json_object_get(fields, "input"), "refused") != NULL;
    json_decref(at->step);
    at->step = NULL;
    at->wakes = atomic_load(&at->core->wakes);
    bool good = input == NULL ? rostering_out_of_memory(&at->error)
                : changes     ? rostering_plugin_call(plugin, export, input, &at->step, &at->error)
                              : rostering_plugin_begin(plugin, input, &at->step, &at->error);
    json_decref(fields);
    free(input);
    if (good && !json_is_string(json_object_get(at->step, "step"))) {
        rostering_fail(&at->error, ROSTERING_PLUGIN_FAILED, NULL, "the plugin did not return a step");
    }
    bool lost = at->error != NULL && at->error->code == ROSTERING_NETWORK_ERROR;
    if (lost) at->error->curl_code = at->curl_code;
}

void rostering_begin(rostering_progress *at, const char *call, json_t *input, bool may_renew) {
    rostering_kept *kept = &at->core->plugin.kept;
    char *text = json_dumps(input, JSON_COMPACT), *key = NULL;
    unsigned generation = 0;
    json_int_t now = now_of(at);
    if (text == NULL || asprintf(&key, "%s%s", call, text) < 0) {
        rostering_out_of_memory(&at->error);
    } else if ((at->step = rostering_kept_find(kept, key, now, &generation)) == NULL) {
        json_object_set_new(input, "now", json_integer(now));
        const char *store = at->core->store.get != NULL ? "store" : NULL, *renew = may_renew ? "renew" : NULL;
        ask(at, "begin",
            json_pack("{s:s, s:[s, s*, s*], s:O}", "call", call, "accepts", "wait", store, renew, "input", input));
        if (at->error == NULL) rostering_keep(kept, key, at->step, generation);
    }
    free(key);
    free(text);
}

void rostering_resume(rostering_progress *at, json_t *result) {
    json_object_set(result, "flow", json_object_get(at->step, "flow"));
    json_object_set_new(result, "now", json_integer(now_of(at)));
    ask(at, "resume", result);
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
    if (end == ROSTERING_END_CLOSED)
        rostering_fail(&at->error, ROSTERING_CLOSED, NULL, "the client was closed during the call");
    if (end == ROSTERING_END_TIMED_OUT) {
        rostering_fail_with(&at->error, json_pack("{s:s, s:s, s:b}", "code", "network_error", "message",
                                            "the call timed out: retry it, or raise timeout_ms", "retryable", true));
    }
    return end == ROSTERING_END_READY;
}

int64_t rostering_ms(const json_t *step, const char *field) {
    return (int64_t)(1000 * json_number_value(json_object_get(step, field)));
}
