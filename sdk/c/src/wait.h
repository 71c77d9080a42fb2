/* Deadlines, cancellation, and waiting for another thread. */
#pragma once

#include <stdatomic.h>

#include "rostering.h"

/* A pipe that becomes readable for good, so that poll and libcurl can wait for it. */
struct rostering_cancel {
    int ends[2];
    atomic_bool raised;
    atomic_int users; /* the last one frees it */
};

/* Returns the handle for one more user, who also frees it. NULL is fine. */
rostering_cancel *rostering_cancel_share(rostering_cancel *cancel);

bool rostering_is_canceled(const rostering_cancel *cancel);

/* When a call must end, and what may end it. */
typedef struct rostering_limits {
    int64_t deadline;          /* in milliseconds of a clock that never jumps; INT64_MAX: none */
    rostering_cancel *cancel;  /* of its caller; may be NULL */
    rostering_cancel *closing; /* of the client; may be NULL */
} rostering_limits;

int64_t rostering_now_ms(void);

/* timeout_ms may be ROSTERING_NO_TIMEOUT. */
int64_t rostering_deadline(int64_t timeout_ms);

/* Returns the milliseconds left, as poll takes them: 0 after the deadline, -1 without one. */
int rostering_time_left(int64_t deadline);

typedef enum rostering_end {
    ROSTERING_END_READY,
    ROSTERING_END_TIMED_OUT,
    ROSTERING_END_CANCELED,
    ROSTERING_END_CLOSED,
} rostering_end;

/* Returns what has ended a call by now, or READY if nothing has. */
rostering_end rostering_ended(const rostering_limits *limits);

/* Waits until done is raised; NULL never is. */
rostering_end rostering_wait(const rostering_cancel *done, const rostering_limits *limits);
