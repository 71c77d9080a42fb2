/* The config, as the plugin takes it. */
#pragma once

#include <jansson.h>

#include "rostering.h"

/* Returns a JSON object of strings, or NULL after a failure. */
json_t *rostering_config_json(const rostering_config *config, rostering_error **error);
