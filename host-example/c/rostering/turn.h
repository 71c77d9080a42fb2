/* A lock that is waited for no longer than until a deadline. From within the library. */
#ifndef ROSTERING_TURN_H
#define ROSTERING_TURN_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct rostering_turn {
    pthread_mutex_t mutex;
    pthread_cond_t left;
    bool taken;
} rostering_turn;

bool rostering_turn_init(rostering_turn *t);
void rostering_turn_destroy(rostering_turn *t);

/* Gives false if the deadline came first. */
bool rostering_turn_take(rostering_turn *t, int64_t deadline);
void rostering_turn_leave(rostering_turn *t);

#endif
