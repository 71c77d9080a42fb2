/* Sending requests with libcurl. */
#pragma once

#include <jansson.h>

#include "wait.h"

/* Sends requests from any thread, and keeps connections for the next ones. */
typedef struct rostering_http rostering_http;

/* Returns NULL if memory ran out. */
rostering_http *rostering_http_new(const rostering_options *options);
void rostering_http_free(rostering_http *http);

/* A body of a request, as in rostering_request. */
typedef struct rostering_body {
    const void *data;
    size_t length;
    size_t (*read)(void *context, void *buffer, size_t size);
    bool (*rewind)(void *context);
    void *context;
} rostering_body;

/* The response to a request, or why it failed. */
typedef struct rostering_outcome {
    rostering_response response; /* its status is 0 if the request failed; the caller clears it */
    rostering_end end;
    bool too_long; /* the response */
    int curl_code;
    char failed[320]; /* if end is ROSTERING_END_READY */
} rostering_outcome;

/* Sends a step's request, at most once. Follows no redirect. body is sent if the request's own is true. */
void rostering_http_send(rostering_http *http, const json_t *step, const rostering_body *body,
    const rostering_limits *limits, rostering_outcome *outcome);

/* Frees what is in the response. */
void rostering_response_clear(rostering_response *response);

static inline bool rostering_is_success(int status) {
    return (status >= 200 && status < 300) || status == 304;
}
