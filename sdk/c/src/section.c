#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "error.h"

/* What the caller and the section's thread share. The last of them frees it. */
typedef struct section {
    rostering_progress at;
    char *now; /* which the caller may free */
    rostering_cancel *done;
    atomic_int users;
} section;

static void leave(section *s) {
    if (atomic_fetch_sub(&s->users, 1) > 1) return;
    json_decref(s->at.step);
    rostering_error_free(s->at.error);
    rostering_cancel_free(s->done);
    free(s->now);
    free(s);
}

static json_t *request_token(rostering_http *http, const json_t *step) {
    const rostering_limits limits = {.deadline = rostering_deadline(rostering_ms(step, "timeout"))};
    rostering_answer answer;
    rostering_http_send(http, step, NULL, &limits, &answer);
    json_t *result = rostering_result(step, &answer);
    rostering_response_free(&answer.response);
    return result;
}

static json_t *use_store(const rostering_store *store, json_t *step) {
    const char *op = "", *key = NULL, *value = NULL;
    const int64_t timeout_ms = rostering_ms(step, "timeout");
    json_int_t ttl = 0;
    char *found = NULL;
    bool added = false;
    json_t *result = NULL;
    json_unpack(step, "{s:s, s:s, s?s, s?I}", "op", &op, "key", &key, "value", &value, "ttl", &ttl);
    if (strcmp(op, "get") == 0) {
        if (store->get(store->context, timeout_ms, key, &found)) result = json_pack("{s:s?}", "value", found);
        free(found);
    } else if (strcmp(op, "add") == 0) {
        bool good = store->add(store->context, timeout_ms, key, value, ttl, &added);
        if (good) result = json_pack("{s:b}", "added", added);
    } else if (store->set(store->context, timeout_ms, key, value, ttl)) {
        result = json_object();
    }
    return result != NULL ? result : json_pack("{s:s+}", "failed", "the store failed: ", op);
}

static void run(section *s) {
    rostering *client = s->at.client;
    while (rostering_is_shared(&s->at)) {
        bool stores = rostering_is_at(&s->at, "store");
        json_t *result = stores ? use_store(client->store, s->at.step) : request_token(client->http, s->at.step);
        rostering_resume(&s->at, result);
    }
    if (!rostering_is_at(&s->at, "wait")) rostering_wake(client);
}

static void *run_detached(void *argument) {
    section *s = argument;
    rostering *client = s->at.client;
    run(s);
    rostering_cancel_calls(s->done);
    leave(s);
    rostering_leave(client); /* at the end: the client may be freed then */
    return NULL;
}

rostering_end rostering_section(rostering_progress *at, const rostering_limits *limits) {
    section *s = calloc(1, sizeof *s);
    if (s == NULL) {
        rostering_out_of_memory(&at->error);
        return ROSTERING_END_READY;
    }
    s->now = at->now != NULL ? strdup(at->now) : NULL;
    s->at = (rostering_progress){.client = at->client, .now = s->now, .step = at->step};
    s->done = rostering_cancel_new();
    atomic_init(&s->users, 2);
    at->step = NULL;
    rostering_enter(at->client, true, NULL);
    pthread_t thread;
    bool detached =
        s->done != NULL && pthread_create(&thread, NULL, run_detached, s) == 0 && pthread_detach(thread) == 0;
    if (!detached) { /* short of threads or files, the caller stays */
        run(s);
        atomic_store(&s->users, 1);
        rostering_leave(at->client);
    }
    rostering_end end = detached ? rostering_wait(s->done, limits) : ROSTERING_END_READY;
    if (end == ROSTERING_END_READY) {
        at->step = s->at.step;
        at->error = s->at.error;
        at->wakes = s->at.wakes;
        s->at.step = NULL;
        s->at.error = NULL;
    }
    leave(s);
    return end;
}
