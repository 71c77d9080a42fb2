#include "call.h"

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

/* pause_call waits up to half as long again, at random: a fleet must not read its store in step. */
static rostering_end pause_call(double seconds, const rostering_limits *limits) {
    uint16_t random = 0;
    (void)!getrandom(&random, sizeof random, 0);
    double ms = seconds * 1000 * (1 + random / (2.0 * UINT16_MAX));
    rostering_limits until = {rostering_deadline((int64_t)ms), limits->cancel};
    bool whole = until.deadline <= limits->deadline;
    if (!whole) until.deadline = limits->deadline;
    rostering_end end = rostering_wait(NULL, &until);
    return whole && end == ROSTERING_END_TIMED_OUT ? ROSTERING_END_READY : end;
}

/* refuse fails the call with the 401 of the service. */
static void refuse(rostering_progress *at) {
    rostering_resume(at, json_pack("{s:s}", "failed", "the request's body cannot be sent again"));
    rostering_error_free(at->error);
    rostering_fail_with(
        &at->error, json_pack("{s:s, s:s, s:b, s:i}", "code", "service_unauthorized", "message",
                        "the service answered 401, and the request's body cannot be sent again; set rewind",
                        "retryable", 0, "status", 401));
}

/* ask_service sends the step's request, and hands in the answer unless that is the result of the call. */
static void ask_service(rostering_progress *at, const rostering_plan *plan, rostering_answer *answer) {
    const json_t *request = json_object_get(at->step, "request");
    rostering_body *body = json_is_true(json_object_get(request, "body")) ? plan->body : NULL;
    bool repeat = answer->response.status != 0;
    rostering_response_free(&answer->response);
    if (repeat && body != NULL && body->read != NULL && (body->rewind == NULL || !body->rewind(body->context))) {
        refuse(at);
        return;
    }
    rostering_http_send(at->client->http, request, false, body, &plan->limits, answer);
    if (!goes_on(at, answer->end)) return;
    if (rostering_is_success(answer->response.status) && json_is_true(json_object_get(at->step, "last"))) {
        json_object_set_new(at->step, "step", json_string("done"));
    } else {
        rostering_resume(at, rostering_result(answer, false));
    }
}

bool rostering_make(rostering *client, const rostering_plan *plan, json_t **token, rostering_response *response,
    rostering_error **error) {
    rostering_progress at = {client, plan->now, NULL, NULL};
    rostering_answer answer = {0};
    bool canceled = rostering_is_canceled(plan->limits.cancel);
    if (goes_on(&at, canceled ? ROSTERING_END_CANCELED : ROSTERING_END_READY)) rostering_begin(&at, plan);
    while (at.error == NULL && !rostering_is_at(&at, "done")) {
        double seconds = json_number_value(json_object_get(at.step, "seconds"));
        if (rostering_is_shared(&at)) {
            goes_on(&at, rostering_section(&at, &plan->limits));
        } else if (rostering_is_at(&at, "request")) {
            ask_service(&at, plan, &answer);
        } else if (goes_on(&at, pause_call(seconds, &plan->limits))) {
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
