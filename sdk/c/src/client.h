/* A client or a view of one. */
#pragma once

#include "core.h"

struct rostering_client {
    rostering_core *core;
    json_t *ids; /* the fields of an input that the view sets */
};

/* As rostering_client_open, with the config as a JSON object of strings. */
bool rostering_client_open_json(
    const json_t *config, const rostering_options *options, rostering_client **client, rostering_error **error);
