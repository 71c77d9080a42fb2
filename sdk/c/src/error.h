/* Errors, and strings that others sent. */
#pragma once

#include <jansson.h>

#include "rostering.h"

/* These set *error, unless error is NULL, and return false. The error is not retryable. key may be NULL. */
bool rostering_fail(rostering_error **error, rostering_code code, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool rostering_out_of_memory(rostering_error **error);

/* The same with the fields of an error, which it takes over; NULL if memory ran out. */
bool rostering_fail_with(rostering_error **error, json_t *fields);

/* Sets *error to the reason, or frees that if error is NULL. */
bool rostering_pass(rostering_error **error, rostering_error *reason);

/* Adds the headers of the response, which the error frees with free(). */
void rostering_error_set_headers(rostering_error *error, const rostering_pair *headers);

/* Returns data as a JSON string, with U+FFFD for each byte that is not UTF-8, or NULL if memory ran out. */
json_t *rostering_utf8(const char *data, size_t length);
