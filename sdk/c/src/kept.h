/* First steps of calls that have a token. Until a time that the plugin names, it would begin an equal call with the
 * same step, unless it is asked for anything but another begin before. A call with a kept step needs no plugin. */
#pragma once

#include <jansson.h>
#include <pthread.h>
#include <stdbool.h>

typedef struct rostering_kept {
    pthread_mutex_t lock;
    json_t *steps;       /* by the calls that begin with them; steps are never changed */
    json_int_t latest;   /* time of a call */
    unsigned generation; /* of the steps: the next one begins when they are dropped */
} rostering_kept;

void rostering_kept_init(rostering_kept *kept);
void rostering_kept_clear(rostering_kept *kept);

/* Returns a new reference to the step of a call, or NULL. A clock that went back drops all steps. */
json_t *rostering_kept_find(rostering_kept *kept, const char *call, json_int_t now, unsigned *generation);

/* Keeps a step, if the plugin allows it, and has not been asked for anything else since that generation. */
void rostering_keep(rostering_kept *kept, const char *call, json_t *step, unsigned generation);

void rostering_kept_drop(rostering_kept *kept);
