/* A store that the tests serve: each operation is a POST of JSON. */
#pragma once

#include "rostering.h"

rostering_store *http_store_new(const char *url);
void http_store_free(rostering_store *store);
