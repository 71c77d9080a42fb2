#include "deadline.h"

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t rostering_deadline(int64_t timeout_ms) {
    int64_t now = now_ms();
    if (timeout_ms < 0 || timeout_ms > ROSTERING_NO_DEADLINE - now) {
        return ROSTERING_NO_DEADLINE;
    }
    return now + (timeout_ms > 0 ? timeout_ms : ROSTERING_DEFAULT_TIMEOUT_MS);
}

int64_t rostering_time_left(int64_t deadline) {
    int64_t now = now_ms();
    return deadline > now ? deadline - now : 0;
}

struct timespec rostering_timespec(int64_t deadline) {
    return (struct timespec){.tv_sec = (time_t)(deadline / 1000), .tv_nsec = (long)(deadline % 1000) * 1000000};
}
