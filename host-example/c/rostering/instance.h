/* An instance of the plugin, from within the library. */
#ifndef ROSTERING_INSTANCE_H
#define ROSTERING_INSTANCE_H

#include <jansson.h>

#include "extism.h"
#include "rostering.h"
#include "turn.h"

typedef struct rostering_instance {
    ExtismPlugin *plugin;
    /* libextism locks a call, but not a call together with fetching what came of it. */
    rostering_turn turn;
} rostering_instance;

/* Makes an instance of a manifest in JSON. */
rostering_error *rostering_instance_open(rostering_instance *instance, const char *manifest);
void rostering_instance_close(rostering_instance *instance);

/* Calls an export with a JSON object; NULL stands for no memory. Only while it is the caller's turn. */
rostering_error *rostering_instance_call(
    rostering_instance *instance, const char *export, const json_t *input, rostering_body *output);

#endif
