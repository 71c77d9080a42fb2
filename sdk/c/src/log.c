#include "log.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

void rostering_log_uuid(ExtismPlugin *plugin, char uuid[ROSTERING_UUID_SIZE]) {
    const uint8_t *id = extism_plugin_id(plugin);
    for (int i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) *uuid++ = '-';
        uuid += snprintf(uuid, 3, "%02x", id[i]);
    }
}

/* A line is such as: 2025-01-31T12:00:00.123456Z DEBUG extism::pdk: HTTP 200 to … plugin="…" */
bool rostering_log_parse(const char *log, size_t length, rostering_line *line) {
    static const char target[] = " extism::pdk: ", mark[] = " plugin=\"";
    const char *text = memmem(log, length, target, strlen(target)), *end = log + length;
    const char *mark_at = text != NULL ? memmem(text, (size_t)(end - text), mark, strlen(mark)) : NULL;
    if (mark_at == NULL || (size_t)(end - mark_at) < strlen(mark) + ROSTERING_UUID_SIZE) return false;
    bool warns = text - log > 5 && strncmp(text - 5, " WARN", 5) == 0;
    text += strlen(target);
    *line = (rostering_line){
        warns ? ROSTERING_LOG_WARN : ROSTERING_LOG_DEBUG, text, mark_at + strlen(mark), (size_t)(mark_at - text)};
    return true;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool opened;

/* What forward needs, because libextism passes no context. */
static const rostering_options *receiver;
static const char *receivers_uuid;

bool rostering_log_open(rostering_error **error) {
    pthread_mutex_lock(&lock);
    bool good = atomic_load(&opened) || extism_log_custom("extism::pdk=debug");
    atomic_store(&opened, good);
    pthread_mutex_unlock(&lock);
    return good ||
           rostering_fail(error, ROSTERING_CONFIG_INVALID, "log",
               "the program has set up libextism's log, which each process has only one of: remove that call, or log");
}

bool rostering_log_begin(void) {
    bool begun = atomic_load(&opened);
    if (begun) pthread_mutex_lock(&lock);
    return begun;
}

static void forward(const char *log, ExtismSize length) {
    rostering_line line;
    if (receiver->log == NULL || !rostering_log_parse(log, length, &line)) return;
    if (strncmp(line.uuid, receivers_uuid, strlen(receivers_uuid)) != 0) return;
    char *text = strndup(line.text, line.length);
    if (text != NULL) receiver->log(receiver->log_context, line.level, text);
    free(text);
}

void rostering_log_end(const char *uuid, const rostering_options *options) {
    receiver = options;
    receivers_uuid = uuid;
    extism_log_drain(forward); /* even without a receiver: the log must not grow */
    pthread_mutex_unlock(&lock);
}

void rostering_log_write(const rostering_options *options, rostering_log_level level, const char *line) {
    if (options->log == NULL) return;
    pthread_mutex_lock(&lock);
    options->log(options->log_context, level, line);
    pthread_mutex_unlock(&lock);
}
