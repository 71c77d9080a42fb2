/* What a client and its views share. */
#pragma once

#include "http.h"
#include "plugin.h"

typedef struct rostering_core {
    rostering_plugin plugin;
    rostering_http *http; /* NULL once closed */
    rostering_options options;
    rostering_store store; /* get is NULL if there is no store */
    rostering_cancel *closing;

    pthread_mutex_t lock; /* for all below */
    pthread_cond_t idle;
    size_t users; /* the client and its views */
    size_t calls;
    size_t sections;
    bool closed;
    int64_t warned_ms;       /* when a failure of the store was last logged, or 0 */
    atomic_uint wakes;       /* how many there were; also read without the lock */
    rostering_cancel *woken; /* raised by the next wake; NULL if no call waits for one */
} rostering_core;

/* config is a JSON object of strings. The options are complete. */
bool rostering_core_open(
    const json_t *config, const rostering_options *options, rostering_core **core, rostering_error **error);
void rostering_core_share(rostering_core *core);
bool rostering_core_close(rostering_core *core, int64_t timeout_ms);

/* Frees the core if this was the last user. */
void rostering_core_leave(rostering_core *core);

/* A call is enclosed by these two. Once the core is closed, no call can begin. */
bool rostering_begin_call(rostering_core *core, rostering_error **error);
void rostering_end_call(rostering_core *core);

/* A section is enclosed by these two, even if the core is closed. */
void rostering_begin_section(rostering_core *core);
void rostering_end_section(rostering_core *core);

/* Ends the waits of calls for another call. */
void rostering_wake(rostering_core *core);

/* Returns a handle that the next wake raises, which the caller frees. Returns NULL and sets *missed if there was a wake
 * after the given number of them, and NULL if file descriptors ran out. */
rostering_cancel *rostering_next_wake(rostering_core *core, unsigned wakes, bool *missed);

/* Logs that the store failed, once a minute. */
void rostering_warn_of_store(rostering_core *core, const char *op, int reason);
