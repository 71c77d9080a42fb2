#include "core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "error.h"
#include "struct.h"

enum { WARNING_EVERY_MS = 60000 };

/* check_options checks the options, which the plugin does not see. */
static bool check_options(const rostering_options *options, rostering_error **error) {
    if (options->timeout_ms <= 0) {
        return rostering_fail(error, ROSTERING_CONFIG_INVALID, "timeout_ms",
            "timeout_ms must be positive; for no timeout, use ROSTERING_NO_TIMEOUT");
    }
    if (options->max_body == 0) {
        return rostering_fail(error, ROSTERING_CONFIG_INVALID, "max_body", "max_body must be positive, in bytes");
    }
    return true;
}

static bool read_store(rostering_store *own, const rostering_store *given, rostering_error **error) {
    if (!ROSTERING_READ(own, given, "store", ROSTERING_CONFIG_INVALID, error)) return false;
    bool complete = given == NULL || (own->get != NULL && own->add != NULL && own->set != NULL);
    return complete ||
           rostering_fail(error, ROSTERING_CONFIG_INVALID, "store", "store needs the functions get, add and set");
}

static void free_core(rostering_core *core) {
    rostering_http_free(core->http);
    rostering_cancel_free(core->closing);
    rostering_cancel_free(core->woken);
    pthread_cond_destroy(&core->idle);
    pthread_mutex_destroy(&core->lock);
    free(core);
}

bool rostering_core_open(
    const json_t *config, const rostering_options *options, rostering_core **core, rostering_error **error) {
    rostering_store store = {0};
    if (!check_options(options, error) || !read_store(&store, options->store, error)) return false;
    rostering_core *made = calloc(1, sizeof *made);
    if (made == NULL) return rostering_out_of_memory(error);
    made->options = *options;
    made->store = store;
    made->users = 1;
    pthread_mutex_init(&made->lock, NULL);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&made->idle, &monotonic);
    pthread_condattr_destroy(&monotonic);
    made->closing = rostering_cancel_new();
    made->http = rostering_http_new(options);
    bool good = (made->closing != NULL && made->http != NULL) || rostering_out_of_memory(error);
    if (good && rostering_plugin_open(&made->plugin, &made->options, config, error)) {
        *core = made;
        return true;
    }
    free_core(made);
    return false;
}

void rostering_core_share(rostering_core *core) {
    pthread_mutex_lock(&core->lock);
    core->users++;
    pthread_mutex_unlock(&core->lock);
}

/* await_calls waits until no call is left. Returns false if there is one after the timeout. The lock is held. */
static bool await_calls(rostering_core *core, int64_t timeout_ms) {
    int64_t deadline = rostering_deadline(timeout_ms);
    const struct timespec until = {.tv_sec = deadline / 1000, .tv_nsec = deadline % 1000 * 1000000};
    int failed = 0;
    while (core->calls > 0 && failed == 0) {
        failed = deadline == INT64_MAX ? pthread_cond_wait(&core->idle, &core->lock)
                                       : pthread_cond_timedwait(&core->idle, &core->lock, &until);
    }
    return core->calls == 0;
}

bool rostering_core_close(rostering_core *core, int64_t timeout_ms) {
    pthread_mutex_lock(&core->lock);
    core->closed = true;
    bool ended = await_calls(core, timeout_ms > 0 ? timeout_ms : 0);
    rostering_cancel_calls(core->closing);
    while (core->calls + core->sections > 0) pthread_cond_wait(&core->idle, &core->lock);
    if (core->http != NULL) {
        rostering_plugin_close(&core->plugin);
        rostering_http_free(core->http);
        core->http = NULL;
    }
    pthread_mutex_unlock(&core->lock);
    return ended;
}

void rostering_core_leave(rostering_core *core) {
    pthread_mutex_lock(&core->lock);
    bool last = --core->users == 0;
    pthread_mutex_unlock(&core->lock);
    if (!last) return;
    rostering_core_close(core, 0);
    free_core(core);
}

bool rostering_begin_call(rostering_core *core, rostering_error **error) {
    pthread_mutex_lock(&core->lock);
    bool open = !core->closed;
    if (open) core->calls++;
    pthread_mutex_unlock(&core->lock);
    return open || rostering_fail(error, ROSTERING_CLOSED, NULL, "the client is closed: open another one");
}

static void end(rostering_core *core, size_t *count) {
    pthread_mutex_lock(&core->lock);
    --*count;
    pthread_cond_broadcast(&core->idle);
    pthread_mutex_unlock(&core->lock);
}

void rostering_end_call(rostering_core *core) {
    end(core, &core->calls);
}

void rostering_begin_section(rostering_core *core) {
    pthread_mutex_lock(&core->lock);
    core->sections++;
    pthread_mutex_unlock(&core->lock);
}

void rostering_end_section(rostering_core *core) {
    end(core, &core->sections);
}

void rostering_wake(rostering_core *core) {
    pthread_mutex_lock(&core->lock);
    core->wakes++;
    if (core->woken != NULL) rostering_cancel_calls(core->woken);
    rostering_cancel_free(core->woken);
    core->woken = NULL;
    pthread_mutex_unlock(&core->lock);
}

rostering_cancel *rostering_next_wake(rostering_core *core, unsigned wakes, bool *missed) {
    pthread_mutex_lock(&core->lock);
    *missed = core->wakes != wakes;
    if (!*missed && core->woken == NULL) core->woken = rostering_cancel_new();
    rostering_cancel *next = !*missed ? rostering_cancel_share(core->woken) : NULL;
    pthread_mutex_unlock(&core->lock);
    return next;
}

void rostering_warn_of_store(rostering_core *core, const char *op, int reason) {
    int64_t now = rostering_now_ms();
    pthread_mutex_lock(&core->lock);
    bool due = core->warned_ms == 0 || now - core->warned_ms >= WARNING_EVERY_MS;
    if (due) core->warned_ms = now;
    pthread_mutex_unlock(&core->lock);
    char line[256];
    snprintf(line, sizeof line, "the store failed to %s: %s; the token is not shared", op, strerror(reason));
    if (due) rostering_log_write(&core->options, ROSTERING_LOG_WARN, line);
}
