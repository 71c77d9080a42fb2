/* When a call must have ended, in milliseconds of a clock that never jumps. From within the library. */
#ifndef ROSTERING_DEADLINE_H
#define ROSTERING_DEADLINE_H

#include <stdint.h>
#include <time.h>

#define ROSTERING_NO_DEADLINE INT64_MAX
#define ROSTERING_DEFAULT_TIMEOUT_MS 30000

/* Gives the deadline of a config's timeout_ms: 0 stands for 30 s, a negative one for none. */
int64_t rostering_deadline(int64_t timeout_ms);

/* Gives the milliseconds left, 0 if it is over. Not for ROSTERING_NO_DEADLINE. */
int64_t rostering_time_left(int64_t deadline);

/* The same moment for CLOCK_MONOTONIC. */
struct timespec rostering_timespec(int64_t deadline);

#endif
