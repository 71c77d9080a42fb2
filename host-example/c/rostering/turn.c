#include "turn.h"

#include <errno.h>

#include "deadline.h"

/* pthread_mutex_timedlock would wait by a clock that somebody may set. */
bool rostering_turn_init(rostering_turn *t) {
    pthread_condattr_t monotonic;
    *t = (rostering_turn){0};
    if (pthread_condattr_init(&monotonic) != 0) {
        return false;
    }
    bool made =
        pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) == 0 && pthread_cond_init(&t->left, &monotonic) == 0;
    pthread_condattr_destroy(&monotonic);
    if (made && pthread_mutex_init(&t->mutex, NULL) != 0) {
        pthread_cond_destroy(&t->left);
        made = false;
    }
    return made;
}

void rostering_turn_destroy(rostering_turn *t) {
    pthread_mutex_destroy(&t->mutex);
    pthread_cond_destroy(&t->left);
}

static int wait_until(rostering_turn *t, int64_t deadline) {
    if (deadline == ROSTERING_NO_DEADLINE) {
        return pthread_cond_wait(&t->left, &t->mutex);
    }
    struct timespec end = rostering_timespec(deadline);
    return pthread_cond_timedwait(&t->left, &t->mutex, &end);
}

bool rostering_turn_take(rostering_turn *t, int64_t deadline) {
    pthread_mutex_lock(&t->mutex);
    int waited = 0;
    while (t->taken && waited != ETIMEDOUT) {
        waited = wait_until(t, deadline);
    }
    bool free = !t->taken;
    t->taken = true;
    pthread_mutex_unlock(&t->mutex);
    return free;
}

void rostering_turn_leave(rostering_turn *t) {
    pthread_mutex_lock(&t->mutex);
    t->taken = false;
    pthread_cond_signal(&t->left);
    pthread_mutex_unlock(&t->mutex);
}
