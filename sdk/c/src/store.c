#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "rostering.h"

/*
 * Both stores are a JSON object: of each key, the value and when it expires. That of a file is read and written under
 * the lock of a second file, which the kernel frees even if a process dies.
 */
typedef struct entries {
    rostering_store store;
    pthread_mutex_t mutex;
    json_t *all;
    int lock;                          /* the second file, while it is locked */
    char *path, *lock_path, *new_path; /* NULL in memory */
} entries;

static bool begin(entries *e, int64_t timeout_ms) {
    pthread_mutex_lock(&e->mutex);
    if (e->path == NULL) return true;
    e->lock = open(e->lock_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    for (int64_t ms = 0; e->lock < 0 || flock(e->lock, LOCK_EX | LOCK_NB) != 0; ms++) { /* a process may be stopped */
        if (e->lock < 0 || ms == timeout_ms) return false;
        poll(NULL, 0, 1);
    }
    json_decref(e->all);
    e->all = json_load_file(e->path, 0, NULL);
    if (json_is_object(e->all)) return true;
    json_decref(e->all);
    e->all = json_object(); /* the file is missing or broken */
    return true;
}

static bool end(entries *e, bool good) {
    if (e->path != NULL && e->lock >= 0) close(e->lock);
    pthread_mutex_unlock(&e->mutex);
    return good;
}

static const char *find(const entries *e, const char *key) {
    const json_t *entry = json_object_get(e->all, key);
    bool fresh = time(NULL) < json_integer_value(json_array_get(entry, 1));
    return fresh ? json_string_value(json_array_get(entry, 0)) : NULL;
}

/* put replaces the file as a whole, for its owner alone. */
static bool put(entries *e, const char *key, const char *value, int64_t ttl_seconds) {
    json_t *entry = json_pack("[s, I]", value, (json_int_t)(time(NULL) + ttl_seconds));
    bool good = json_object_set_new(e->all, key, entry) == 0;
    if (!good || e->path == NULL) return good;
    int file = open(e->new_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    good = file >= 0 && json_dumpfd(e->all, file, JSON_COMPACT) == 0;
    good = file >= 0 && close(file) == 0 && good;
    return good && rename(e->new_path, e->path) == 0;
}

static bool get(void *context, int64_t timeout_ms, const char *key, char **value) {
    bool good = begin(context, timeout_ms);
    const char *found = good ? find(context, key) : NULL;
    *value = found != NULL ? strdup(found) : NULL;
    return end(context, good);
}

static bool add(
    void *context, int64_t timeout_ms, const char *key, const char *value, int64_t ttl_seconds, bool *added) {
    bool good = begin(context, timeout_ms);
    *added = good && find(context, key) == NULL;
    return end(context, good && (!*added || put(context, key, value, ttl_seconds)));
}

static bool set(void *context, int64_t timeout_ms, const char *key, const char *value, int64_t ttl_seconds) {
    return end(context, begin(context, timeout_ms) && put(context, key, value, ttl_seconds));
}

rostering_store *rostering_memory_store_new(void) {
    entries *e = calloc(1, sizeof *e);
    if (e == NULL) return NULL;
    e->store = (rostering_store){get, add, set, e};
    e->all = json_object();
    pthread_mutex_init(&e->mutex, NULL);
    return &e->store;
}

rostering_store *rostering_file_store_new(const char *path) {
    rostering_store *store = rostering_memory_store_new();
    entries *e = store != NULL ? store->context : NULL;
    bool named = e != NULL && asprintf(&e->path, "%s", path) > 0 && asprintf(&e->lock_path, "%s.lock", path) > 0 &&
                 asprintf(&e->new_path, "%s.new", path) > 0;
    if (named) return store;
    rostering_store_free(store);
    return NULL;
}

void rostering_store_free(rostering_store *store) {
    if (store == NULL) return;
    entries *e = store->context;
    json_decref(e->all);
    pthread_mutex_destroy(&e->mutex);
    free(e->path);
    free(e->lock_path);
    free(e->new_path);
    free(e);
}
