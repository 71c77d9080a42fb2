#include "wait.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

rostering_cancel *rostering_cancel_new(void) {
    rostering_cancel *cancel = calloc(1, sizeof *cancel);
    if (cancel != NULL && pipe2(cancel->ends, O_CLOEXEC | O_NONBLOCK) == 0) return rostering_cancel_share(cancel);
    free(cancel);
    return NULL;
}

rostering_cancel *rostering_cancel_share(rostering_cancel *cancel) {
    if (cancel != NULL) atomic_fetch_add(&cancel->users, 1);
    return cancel;
}

void rostering_cancel_calls(rostering_cancel *cancel) {
    int kept = errno; /* a signal handler must not change it */
    atomic_store(&cancel->raised, true);
    (void)!write(cancel->ends[1], "", 1); /* if it fails, the pipe is full, and readable */
    errno = kept;
}

void rostering_cancel_free(rostering_cancel *cancel) {
    if (cancel == NULL || atomic_fetch_sub(&cancel->users, 1) > 1) return;
    close(cancel->ends[0]);
    close(cancel->ends[1]);
    free(cancel);
}

bool rostering_is_canceled(const rostering_cancel *cancel) {
    return cancel != NULL && atomic_load(&cancel->raised);
}

int64_t rostering_now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t rostering_deadline(int64_t timeout_ms) {
    int64_t now = rostering_now_ms();
    return timeout_ms > INT64_MAX - now ? INT64_MAX : now + timeout_ms;
}

int rostering_time_left(int64_t deadline) {
    int64_t left = deadline - rostering_now_ms();
    if (deadline == INT64_MAX) return -1;
    return left <= 0 ? 0 : left < INT_MAX ? (int)left : INT_MAX;
}

rostering_end rostering_ended(const rostering_limits *limits) {
    if (rostering_is_canceled(limits->cancel)) return ROSTERING_END_CANCELED;
    if (rostering_is_canceled(limits->closing)) return ROSTERING_END_CLOSED;
    return rostering_time_left(limits->deadline) == 0 ? ROSTERING_END_TIMED_OUT : ROSTERING_END_READY;
}

rostering_end rostering_wait(const rostering_cancel *done, const rostering_limits *limits) {
    const rostering_cancel *const awaited[] = {done, limits->cancel, limits->closing};
    struct pollfd ends[3];
    for (int i = 0; i < 3; i++) {
        ends[i] =
            (struct pollfd){.fd = awaited[i] != NULL ? awaited[i]->ends[0] : -1, .events = POLLIN}; /* poll skips -1 */
    }
    rostering_end end = ROSTERING_END_READY;
    while (!rostering_is_canceled(done) && (end = rostering_ended(limits)) == ROSTERING_END_READY) {
        poll(ends, 3, rostering_time_left(limits->deadline));
    }
    return end;
}
