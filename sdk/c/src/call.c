#include "call.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "error.h"

rostering_end rostering_pause(const rostering_progress *at, const rostering_limits *limits) {
    bool for_call = strcmp(json_string_value(json_object_get(at->step, "for")), "call") == 0, missed = false;
    rostering_cancel *woken = for_call ? rostering_next_wake(at->core, at->wakes, &missed) : NULL;
    int64_t ms = missed ? 0 : rostering_ms(at->step, "seconds");
    uint16_t random = 0;
    /* Up to half as long again, so that a fleet does not become a thundering herd at its store. */
    if (!for_call && getrandom(&random, sizeof random, 0) > 0) ms += ms * random / (2 * UINT16_MAX);
    rostering_limits until = *limits;
    until.deadline = rostering_deadline(ms);
    bool whole = until.deadline <= limits->deadline;
    if (!whole) until.deadline = limits->deadline;
    rostering_end end = rostering_wait(woken, &until);
    rostering_cancel_free(woken);
    return whole && end == ROSTERING_END_TIMED_OUT ? ROSTERING_END_READY : end;
}

/* rewind_body reports whether the body can be sent again. */
static bool rewind_body(const rostering_body *body) {
    bool is_read = body != NULL && body->read != NULL;
    return !is_read || (body->rewind != NULL && body->rewind(body->context));
}

/* ask_service sends the step's request. Returns whether the response is the result of the call; otherwise it went to
 * the plugin. */
static bool ask_service(rostering_progress *at, const rostering_plan *plan, rostering_outcome *outcome) {
    rostering_response_clear(&outcome->response);
    rostering_http_send(at->core->http, at->step, plan->body, &plan->limits, outcome);
    if (outcome->too_long) {
        size_t limit = at->core->options.max_body;
        rostering_fail(&at->error, ROSTERING_NETWORK_ERROR, "max_body",
            "the response is larger than max_body (%zu bytes): raise it or request less", limit);
    }
    if (at->error != NULL || !rostering_continues(at, outcome->end)) return false;
    int status = outcome->response.status;
    if (rostering_is_success(status) && json_is_true(json_object_get(at->step, "last"))) return true;
    json_t *result = rostering_result(at, outcome);
    if (status == 401 && !rewind_body(plan->body)) json_object_set_new(result, "repeatable", json_false());
    rostering_resume(at, result);
    if (at->error != NULL && at->error->code == ROSTERING_SERVICE_ERROR) {
        rostering_error_set_headers(at->error, outcome->response.headers);
        outcome->response.headers = NULL;
    }
    return false;
}

/* return_response moves the response to the heap. */
static bool return_response(rostering_response *from, rostering_response **to, rostering_error **error) {
    *to = malloc(sizeof **to);
    if (*to == NULL) {
        rostering_response_clear(from);
        return rostering_out_of_memory(error);
    }
    **to = *from;
    return true;
}

/* A get_token that no call waits for. */
typedef struct renewal {
    rostering_core *core;
    int64_t now;
} renewal;

static void *run_renewal(void *argument) {
    renewal *r = argument;
    rostering_core *core = r->core;
    const rostering_plan plan = {.call = "get_token",
        .input = json_object(),
        .now = r->now,
        .is_renewal = true,
        .limits = {.deadline = INT64_MAX, .closing = core->closing}};
    json_t *token = NULL;
    rostering_response *none = NULL;
    free(r);
    rostering_make(core, &plan, &token, &none, NULL); /* the plugin logs its error and backs off */
    json_decref(token);
    json_decref(plan.input);
    rostering_end_section(core); /* at the end: the core may be freed then */
    return NULL;
}

/* renew renews the token in the background, since the call has a valid one. If there is no thread for it, a later call
 * tries again. */
static void renew(const rostering_progress *at) {
    renewal *r = malloc(sizeof *r);
    if (r == NULL) return;
    *r = (renewal){at->core, at->now};
    rostering_begin_section(at->core);
    if (rostering_detach(run_renewal, r)) return;
    rostering_end_section(at->core);
    free(r);
}

bool rostering_make(rostering_core *core, const rostering_plan *plan, json_t **token, rostering_response **response,
    rostering_error **error) {
    rostering_progress at = {.core = core, .now = plan->now};
    rostering_outcome outcome = {0};
    if (rostering_continues(&at, rostering_ended(&plan->limits))) {
        rostering_begin(&at, plan->call, plan->input, !plan->is_renewal);
    }
    if (json_is_true(json_object_get(at.step, "renew"))) renew(&at);
    bool has_result = false;
    while (at.error == NULL && !has_result && !rostering_is_at(&at, "done")) {
        if (rostering_is_shared(&at)) {
            rostering_continues(&at, rostering_section(&at, &plan->limits));
        } else if (rostering_is_at(&at, "request")) {
            has_result = ask_service(&at, plan, &outcome);
        } else if (rostering_continues(&at, rostering_pause(&at, &plan->limits))) {
            rostering_resume(&at, json_object());
        }
    }
    bool good = at.error == NULL;
    if (good) *token = json_incref(json_object_get(at.step, "output"));
    json_decref(at.step);
    if (good && outcome.response.status != 0) return return_response(&outcome.response, response, error);
    rostering_response_clear(&outcome.response);
    return good || rostering_pass(error, at.error);
}
