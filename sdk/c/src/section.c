#include "section.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

/* What the caller and the section's thread share. The last of them frees it. */
typedef struct section {
    rostering_progress at;
    rostering_cancel *done;
    atomic_int users;
} section;

static void leave(section *s) {
    if (atomic_fetch_sub(&s->users, 1) > 1) return;
    json_decref(s->at.step);
    rostering_error_free(s->at.error);
    rostering_cancel_free(s->done);
    free(s);
}

/* request_token gives up when the client closes. The plugin is not told: it would report a failure to the fleet, and
 * end the fleet's calls with it. */
static void request_token(rostering_progress *at) {
    rostering_core *core = at->core;
    const rostering_limits limits = {
        .deadline = rostering_deadline(rostering_ms(at->step, "timeout")), .closing = core->closing};
    rostering_outcome outcome;
    rostering_http_send(core->http, at->step, NULL, &limits, &outcome);
    if (outcome.end == ROSTERING_END_CLOSED) {
        rostering_continues(at, outcome.end);
    } else {
        rostering_resume(at, rostering_result(at, &outcome));
    }
    rostering_response_clear(&outcome.response);
}

/* use_store returns 0, with the result as resume takes it, or why the store failed. */
static int use_store(const rostering_store *store, json_t *step, json_t **result) {
    const char *op = "", *key = NULL, *value = NULL;
    const int64_t timeout_ms = rostering_ms(step, "timeout");
    json_int_t ttl = 0;
    char *found = NULL;
    bool added = false;
    json_unpack(step, "{s:s, s:s, s?s, s?I}", "op", &op, "key", &key, "value", &value, "ttl", &ttl);
    int reason = 0;
    if (strcmp(op, "get") == 0) {
        reason = store->get(store->context, timeout_ms, key, &found);
        if (reason == 0) *result = json_pack("{s:s?}", "value", found);
        if (reason == 0 && *result == NULL) reason = EILSEQ; /* not UTF-8 */
        free(found);
    } else if (strcmp(op, "add") == 0) {
        reason = store->add(store->context, timeout_ms, key, value, ttl, &added);
        if (reason == 0) *result = json_pack("{s:b}", "added", added);
    } else {
        reason = store->set(store->context, timeout_ms, key, value, ttl);
        if (reason == 0) *result = json_object();
    }
    return reason;
}

static void operate_store(rostering_progress *at) {
    const char *op = json_string_value(json_object_get(at->step, "op"));
    json_t *result = NULL;
    int reason = use_store(&at->core->store, at->step, &result);
    if (reason != 0) {
        rostering_warn_of_store(at->core, op, reason);
        result = json_pack("{s:s+}", "failed", "the store failed: ", op);
    }
    rostering_resume(at, result);
}

static void run(rostering_progress *at) {
    while (rostering_is_shared(at)) {
        if (rostering_is_at(at, "store")) {
            operate_store(at);
        } else {
            request_token(at);
        }
    }
    if (!rostering_is_at(at, "wait")) rostering_wake(at->core);
}

static void *run_detached(void *argument) {
    section *s = argument;
    rostering_core *core = s->at.core;
    run(&s->at);
    rostering_cancel_calls(s->done);
    leave(s);
    rostering_end_section(core); /* at the end: the core may be freed then */
    return NULL;
}

bool rostering_detach(void *(*run)(void *argument), void *argument) {
    pthread_t thread;
    return pthread_create(&thread, NULL, run, argument) == 0 && pthread_detach(thread) == 0;
}

rostering_end rostering_section(rostering_progress *at, const rostering_limits *limits) {
    section *s = calloc(1, sizeof *s);
    if (s == NULL) {
        rostering_out_of_memory(&at->error);
        return ROSTERING_END_READY;
    }
    s->at = *at;
    s->done = rostering_cancel_new();
    atomic_init(&s->users, 2);
    at->step = NULL;
    rostering_begin_section(s->at.core);
    bool detached = s->done != NULL && rostering_detach(run_detached, s);
    if (!detached) { /* without a thread or a pipe, the caller runs it */
        run(&s->at);
        atomic_store(&s->users, 1);
        rostering_end_section(s->at.core);
    }
    rostering_end end = detached ? rostering_wait(s->done, limits) : ROSTERING_END_READY;
    if (end == ROSTERING_END_READY) {
        *at = s->at;
        s->at.step = NULL;
        s->at.error = NULL;
    }
    leave(s);
    return end;
}
