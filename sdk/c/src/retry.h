/* When to retry. */
#pragma once

#include "rostering.h"

/* Returns the milliseconds to wait after an error, or -1 if the call must not be retried; random is for the jitter. */
int64_t rostering_backoff(const rostering_retries *retries, const rostering_error *error, uint16_t random);
