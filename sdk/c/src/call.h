/* Calls: loops over the steps that the plugin returns. */
#pragma once

#include "section.h"

typedef struct rostering_plan {
    const char *call; /* get_token, list_jobs or send_request */
    json_t *input;    /* without now, which the call sets */
    int64_t now;      /* Unix seconds, in tests; 0: the clock's */
    bool is_renewal;  /* in the background of another call */
    const rostering_body *body;
    rostering_limits limits;
} rostering_plan;

/* Makes a call. The token object of get_token, or the response of the others, belongs to the caller. */
bool rostering_make(rostering_core *core, const rostering_plan *plan, json_t **token, rostering_response **response,
    rostering_error **error);

/* Carries out a wait. */
rostering_end rostering_pause(const rostering_progress *at, const rostering_limits *limits);
