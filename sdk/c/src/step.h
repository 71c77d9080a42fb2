/* The steps of a call, which the plugin returns. */
#pragma once

#include "core.h"

/* The progress of a call: its current step, or its error. */
typedef struct rostering_progress {
    rostering_core *core;
    int64_t now; /* Unix seconds, in tests; 0: the clock's */
    json_t *step;
    unsigned wakes; /* the core's, just before the plugin was asked for the step */
    int curl_code;  /* of the last request that failed */
    rostering_error *error;
} rostering_progress;

bool rostering_is_at(const rostering_progress *at, const char *kind);

/* Whether others may wait for the outcome of the step: of a token request, or of an operation on the store. */
bool rostering_is_shared(const rostering_progress *at);

/* Begins a call such as list_jobs, and sets now in its input. may_renew: the plugin may ask for a renewal in the
 * background. */
void rostering_begin(rostering_progress *at, const char *call, json_t *input, bool may_renew);

/* Passes the result of the step, which it takes over. NULL means that memory ran out. */
void rostering_resume(rostering_progress *at, json_t *result);

/* Returns the response to the step's request as resume takes it. Keeps the reason if it failed. */
json_t *rostering_result(rostering_progress *at, const rostering_outcome *outcome);

/* Fails the call if something ended it. Returns whether it continues. */
bool rostering_continues(rostering_progress *at, rostering_end end);

/* Returns a field of the step, in seconds, as milliseconds. */
int64_t rostering_ms(const json_t *step, const char *field);
