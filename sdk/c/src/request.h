/* The input of send_request. */
#pragma once

#include "http.h"

/* Returns the input, and sets *body, which points into the request. Returns NULL after a failure. */
json_t *rostering_request_input(const rostering_request *given, rostering_body *body, rostering_error **error);

/* Sets a string, with U+FFFD for what is not UTF-8: the plugin then refuses it, since it accepts only ASCII. */
void rostering_set(json_t *input, const char *name, const char *text);
