#include "drive.h"

#include <string.h>
#include <time.h>

#include "error.h"
#include "utf8.h"

/* A call under way. */
typedef struct flow {
    rostering_instance *instance;
    bool timed; /* by the clock */
    json_t *step;
    bool for_token; /* the step's request is for a token */
    rostering_answer answer;
} flow;

static json_t *request_of(const flow *f) {
    return json_object_get(f->step, "request");
}

static bool is_for_token(const json_t *request) {
    static const char end[] = "/connect/token";
    const char *url = json_string_value(json_object_get(request, "url"));
    size_t length = url != NULL ? strlen(url) : 0, n = strlen(end);
    return length >= n && strcmp(url + length - n, end) == 0;
}

static void set_time(json_t *input) {
    json_object_set_new(input, "now", json_integer((json_int_t)time(NULL)));
}

/* next takes over the input of begin or resume, and puts the step that it gives in the place of the last one. */
static rostering_error *next(flow *f, const char *export, json_t *input) {
    rostering_body output = {0};
    rostering_error *error = rostering_instance_call(f->instance, export, input, &output);
    json_decref(input);
    if (error != NULL) {
        return error;
    }
    json_decref(f->step);
    f->step = json_loadb(output.data, output.length, JSON_ALLOW_NUL, NULL);
    rostering_body_free(&output);
    f->for_token = is_for_token(request_of(f));
    return f->step != NULL ? NULL : rostering_plugin_failed("the plugin's step is no JSON", NULL);
}

/* begin takes over input. */
static rostering_error *begin(flow *f, const char *call, json_t *input) {
    f->timed = json_object_get(input, "now") == NULL;
    if (f->timed) {
        set_time(input);
    }
    return next(f, "begin", json_pack("{s:s, s:o}", "call", call, "input", input));
}

static rostering_error *resume(flow *f) {
    const rostering_answer *a = &f->answer;
    json_t *input = json_pack("{s:O}", "flow", json_object_get(f->step, "flow"));
    if (f->timed) {
        set_time(input);
    }
    if (a->body.data == NULL) {
        json_object_set(input, "failed", a->failed);
        return next(f, "resume", input);
    }
    json_object_set_new(input, "status", json_integer(a->status));
    json_object_set(input, "headers", a->headers);
    if (f->for_token) { /* the service's body stays here */
        json_object_set_new(input, "body", rostering_utf8(a->body.data, a->body.length));
    }
    return next(f, "resume", input);
}

static rostering_error *take_output(flow *f, rostering_body *output) {
    const json_t *object = json_object_get(f->step, "output");
    if (object == NULL) {
        *output = f->answer.body;
        f->answer.body = (rostering_body){0};
        return NULL;
    }
    char *text = json_dumps(object, JSON_COMPACT);
    if (text == NULL) {
        return rostering_out_of_memory();
    }
    *output = (rostering_body){.data = text, .length = strlen(text)};
    return NULL;
}

rostering_error *rostering_drive(rostering_instance *instance, rostering_http *http, const char *call, json_t *input,
    int64_t deadline, rostering_body *output) {
    if (!rostering_turn_take(&instance->turn, deadline)) {
        json_decref(input);
        return rostering_late();
    }
    flow f = {.instance = instance};
    bool turn = true; /* is ours */
    rostering_error *error = begin(&f, call, input);
    while (error == NULL && request_of(&f) != NULL) {
        if (!f.for_token) { /* while a token is asked for, others wait, and then find it */
            rostering_turn_leave(&instance->turn);
        }
        rostering_answer_free(&f.answer);
        f.answer = rostering_http_send(http, request_of(&f), deadline);
        turn = f.for_token || rostering_turn_take(&instance->turn, deadline);
        error = turn ? resume(&f) : rostering_late();
    }
    if (turn) {
        rostering_turn_leave(&instance->turn);
    }
    if (error == NULL) {
        error = take_output(&f, output);
    }
    rostering_answer_free(&f.answer);
    json_decref(f.step);
    return error;
}
