/* The inputs of the calls, from within the library. */
#ifndef ROSTERING_INPUT_H
#define ROSTERING_INPUT_H

#include <jansson.h>

#include "rostering.h"

/* Each sets fields of input, a JSON object. */
rostering_error *rostering_set_ids(json_t *input, const rostering_ids *ids);
rostering_error *rostering_set_request(json_t *input, const rostering_request *request);

#endif
