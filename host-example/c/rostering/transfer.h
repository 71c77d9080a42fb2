/* One request on one of libcurl's handles, from within the library. */
#ifndef ROSTERING_TRANSFER_H
#define ROSTERING_TRANSFER_H

#include <curl/curl.h>

#include "http.h"

/* Sends a request as begin and resume give it, at most once. timeout_ms 0 is none. answer must be empty. */
void rostering_transfer(CURL *curl, const json_t *request, int64_t timeout_ms, rostering_answer *answer);

#endif
