/* Sending requests with libcurl, from within the library. */
#ifndef ROSTERING_HTTP_H
#define ROSTERING_HTTP_H

#include <jansson.h>
#include <stdint.h>

#include "rostering.h"

/* Sends requests from any thread, and keeps connections for the next ones. */
typedef struct rostering_http rostering_http;

/* An answer, or why there is none. */
typedef struct rostering_answer {
    rostering_body body; /* its data is NULL if there is no answer */
    int status;
    json_t *headers; /* an object of lists of texts */
    json_t *failed;  /* text */
} rostering_answer;

/* Gives NULL if memory ran out. Of config only what concerns libcurl is kept. */
rostering_http *rostering_http_new(const rostering_config *config);
void rostering_http_free(rostering_http *http);

/* Sends a request as begin and resume give it. Redirects are not followed. */
rostering_answer rostering_http_send(rostering_http *http, const json_t *request, int64_t deadline);
void rostering_answer_free(rostering_answer *answer);

#endif
