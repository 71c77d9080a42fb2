#include "call.h"

#include <string.h>
#include <sys/random.h>

#include "error.h"

bool rostering_enter(rostering *client, bool section, rostering_error **error) {
    pthread_mutex_lock(&client->lock);
    bool entered = section || !client->closed;
    if (entered) client->running++;
    pthread_mutex_unlock(&client->lock);
    return entered || rostering_fail(error, ROSTERING_CLOSED, NULL, "the client is closed");
}

void rostering_leave(rostering *client) {
    pthread_mutex_lock(&client->lock);
    client->running--;
    pthread_cond_broadcast(&client->idle);
    pthread_mutex_unlock(&client->lock);
}

/* goes_on reports whether nothing has ended the call. */
static bool goes_on(rostering_progress *at, rostering_end end) {
    if (end == ROSTERING_END_CANCELED) rostering_fail(&at->error, ROSTERING_CANCELED, NULL, "the call was canceled");
    if (end == ROSTERING_END_TIMED_OUT) rostering_fail(&at->error, ROSTERING_NETWORK_ERROR, NULL, "the call timed out");
    return end == ROSTERING_END_READY;
}

void rostering_wake(rostering *client) {
    pthread_mutex_lock(&client->lock);
    client->wakes++;
    if (client->woken != NULL) rostering_cancel_calls(client->woken);
    rostering_cancel_free(client->woken);
    client->woken = NULL;
    pthread_mutex_unlock(&client->lock);
}

/* next_wake returns what the next wake raises, which the caller frees. Without files it is NULL, and never raised. */
static rostering_cancel *next_wake(rostering *client, unsigned wakes, bool *missed) {
    pthread_mutex_lock(&client->lock);
    *missed = client->wakes != wakes;
    if (!*missed && client->woken == NULL) client->woken = rostering_cancel_new();
    rostering_cancel *next = !*missed ? rostering_cancel_share(client->woken) : NULL;
    pthread_mutex_unlock(&client->lock);
    return next;
}

rostering_end rostering_pause(const rostering_progress *at, const rostering_limits *limits) {
    bool for_call = strcmp(json_string_value(json_object_get(at->step, "for")), "call") == 0, missed = false;
    rostering_cancel *woken = for_call ? next_wake(at->client, at->wakes, &missed) : NULL;
    int64_t ms = missed ? 0 : rostering_ms(at->step, "seconds");
    uint16_t random = 0;
    /* Up to half as long again: a fleet must not read its store in lockstep. */
    if (!for_call && getrandom(&random, sizeof random, 0) > 0) ms += ms * random / (2 * UINT16_MAX);
    rostering_limits until = {rostering_deadline(ms), limits->cancel};
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

/* ask_service sends the step's request, and hands in the answer unless that is the result of the call. */
static void ask_service(rostering_progress *at, const rostering_plan *plan, rostering_answer *answer) {
    rostering_response_free(&answer->response);
    rostering_http_send(at->client->http, at->step, plan->body, &plan->limits, answer);
    if (!goes_on(at, answer->end)) return;
    int status = answer->response.status;
    if (rostering_is_success(status) && json_is_true(json_object_get(at->step, "last"))) {
        json_object_set_new(at->step, "step", json_string("done"));
        return;
    }
    json_t *result = rostering_result(at->step, answer);
    if (status == 401 && !rewind_body(plan->body)) json_object_set_new(result, "repeatable", json_false());
    rostering_resume(at, result);
}

bool rostering_make(rostering *client, const rostering_plan *plan, json_t **token, rostering_response *response,
    rostering_error **error) {
    rostering_progress at = {.client = client, .now = plan->now};
    rostering_answer answer = {0};
    bool canceled = rostering_is_canceled(plan->limits.cancel);
    if (goes_on(&at, canceled ? ROSTERING_END_CANCELED : ROSTERING_END_READY)) rostering_begin(&at, plan);
    while (at.error == NULL && !rostering_is_at(&at, "done")) {
        if (rostering_is_shared(&at)) {
            goes_on(&at, rostering_section(&at, &plan->limits));
        } else if (rostering_is_at(&at, "request")) {
            ask_service(&at, plan, &answer);
        } else if (goes_on(&at, rostering_pause(&at, &plan->limits))) {
            rostering_resume(&at, json_object());
        }
    }
    bool good = at.error == NULL;
    *token = good ? json_incref(json_object_get(at.step, "output")) : NULL;
    if (!good) rostering_response_free(&answer.response);
    *response = answer.response;
    json_decref(at.step);
    return good || rostering_pass(error, at.error);
}
