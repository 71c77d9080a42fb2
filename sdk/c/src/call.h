/* Calls: loops over the steps that the plugin returns. */
#pragma once

#include "http.h"
#include "plugin.h"

struct rostering {
    rostering_plugin plugin;
    rostering_http *http;
    const rostering_store *store;
    int64_t timeout_ms;

    pthread_mutex_t lock; /* for all below */
    pthread_cond_t idle;
    size_t running; /* calls and sections */
    bool closed;
    atomic_uint wakes;       /* how many there were; read without the lock, too */
    rostering_cancel *woken; /* raised by the next wake; NULL: no call waits for one */
};

/* As rostering_open, with the config as a JSON object of texts. */
bool rostering_open_json(
    const json_t *config, const rostering_options *options, rostering **client, rostering_error **error);

/* A call enters the client, and leaves it. A section of such a call enters even a closed one. */
bool rostering_enter(rostering *client, bool section, rostering_error **error);
void rostering_leave(rostering *client);

typedef struct rostering_plan {
    const char *call;  /* get_token, list_jobs or send_request */
    const char *input; /* as JSON, with now in it */
    const char *now;   /* for resume, as JSON; "": none; NULL: the clock's */
    rostering_body *body;
    rostering_limits limits;
} rostering_plan;

/* Makes a call. The token object of get_token, or the response of the others, belongs to the caller. */
bool rostering_make(rostering *client, const rostering_plan *plan, json_t **token, rostering_response *response,
    rostering_error **error);

/* The progress of a call: its current step, or its error. */
typedef struct rostering_progress {
    rostering *client;
    const char *now;
    json_t *step;
    unsigned wakes; /* the client's, just before the plugin was asked for the step */
    rostering_error *error;
} rostering_progress;

bool rostering_is_at(const rostering_progress *at, const char *kind);

/* Whether others may wait for the outcome of the step: of a token request, or of an operation on the store. */
bool rostering_is_shared(const rostering_progress *at);

void rostering_begin(rostering_progress *at, const rostering_plan *plan);

/* Hands in the result of the step, which it takes over. NULL means that memory ran out. */
void rostering_resume(rostering_progress *at, json_t *result);

/* Returns the answer to the step's request as resume takes it. */
json_t *rostering_result(const json_t *step, const rostering_answer *answer);

/* Returns a field of the step, in seconds, as milliseconds. */
int64_t rostering_ms(const json_t *step, const char *field);

/* Carries out a wait. */
rostering_end rostering_pause(const rostering_progress *at, const rostering_limits *limits);

/* Ends the waits for a call. */
void rostering_wake(rostering *client);

/*
 * Performs shared steps on a thread of their own, which continues even if the caller times out or is canceled. Unless
 * they lead to a wait, that wakes the calls that wait for one.
 */
rostering_end rostering_section(rostering_progress *at, const rostering_limits *limits);
