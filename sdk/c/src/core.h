/* What a client and its views share. */
#pragma once

#include "http.h"
#include "plugin.h"

typedef struct rostering_core {
    rostering_plugin plugin;
    rostering_http *http; /* NULL once closed */
    rostering_options options;
    rostering_store store; /* its get is NULL if there is none */
    rostering_cancel *closing;

    pthread_mutex_t lock; /* for all below */
    pthread_cond_t idle;
    size_t users; /* the client and its views */
    size_t calls;
    size_t sections;
    bool closed;
    int64_t warned_ms;       /* when a failure of the store was last logged, or 0 */
    atomic_uint wakes;       /* how many there were; read without the lock, too */
    rostering_cancel *woken; /* raised by the next wake; NULL: no call waits for one */
} rostering_core;

/* config is a JSON object of strings. The options are complete. */
bool rostering_core_open(
    const json_t *config, const rostering_options *options, rostering_core **core, rostering_error **error);
void rostering_core_share(rostering_core *core);
bool rostering_core_close(rostering_core *core, int64_t timeout_ms);

/* Frees the core if this was the last user. */
void rostering_core_leave(rostering_core *core);

/* A call stands between these two, and fails to begin in a closed core. */
bool rostering_begin_call(rostering_core *core, rostering_error **error);
void rostering_end_call(rostering_core *core);

/* A section stands between these two, also in a closed core. */
void rostering_begin_section(rostering_core *core);
void rostering_end_section(rostering_core *core);

/* Ends the waits for a call. */
void rostering_wake(rostering_core *core);

/* Returns what the next wake raises, which the caller frees, or NULL if there was one after the first wakes. Without
 * files it is NULL, too. */
rostering_cancel *rostering_next_wake(rostering_core *core, unsigned wakes, bool *missed);

/* Logs that the store failed, once a minute. */
void rostering_warn_of_store(rostering_core *core, const char *op, int reason);
