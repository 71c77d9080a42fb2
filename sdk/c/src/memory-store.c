#include <errno.h>
#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store.h"

typedef struct memory_store {
    rostering_own_store own;
    pthread_mutex_t mutex;
    json_t *all; /* by key, the value and when it expires */
} memory_store;

static const char *find(const memory_store *s, const char *key) {
    const json_t *entry = json_object_get(s->all, key);
    bool live = time(NULL) < json_integer_value(json_array_get(entry, 1));
    return live ? json_string_value(json_array_get(entry, 0)) : NULL;
}

static int put(memory_store *s, const char *key, const char *value, int64_t ttl_seconds) {
    json_t *entry = json_pack("[s, I]", value, (json_int_t)(time(NULL) + ttl_seconds));
    return json_object_set_new(s->all, key, entry) == 0 ? 0 : ENOMEM;
}

static int get(void *context, int64_t timeout_ms, const char *key, char **value) {
    memory_store *s = context;
    (void)timeout_ms;
    pthread_mutex_lock(&s->mutex);
    const char *found = find(s, key);
    *value = found != NULL ? strdup(found) : NULL;
    int reason = found != NULL && *value == NULL ? ENOMEM : 0;
    pthread_mutex_unlock(&s->mutex);
    return reason;
}

static int add(
    void *context, int64_t timeout_ms, const char *key, const char *value, int64_t ttl_seconds, bool *added) {
    memory_store *s = context;
    (void)timeout_ms;
    pthread_mutex_lock(&s->mutex);
    *added = find(s, key) == NULL;
    int reason = *added ? put(s, key, value, ttl_seconds) : 0;
    pthread_mutex_unlock(&s->mutex);
    return reason;
}

static int set(void *context, int64_t timeout_ms, const char *key, const char *value, int64_t ttl_seconds) {
    memory_store *s = context;
    (void)timeout_ms;
    pthread_mutex_lock(&s->mutex);
    int reason = put(s, key, value, ttl_seconds);
    pthread_mutex_unlock(&s->mutex);
    return reason;
}

static void free_store(void *store) {
    memory_store *s = store;
    json_decref(s->all);
    pthread_mutex_destroy(&s->mutex);
    free(s);
}

rostering_store *rostering_memory_store_new(void) {
    memory_store *s = malloc(sizeof *s);
    if (s == NULL) return NULL;
    *s = (memory_store){.own = {{sizeof s->own.shown, get, add, set, s}, free_store}, .all = json_object()};
    pthread_mutex_init(&s->mutex, NULL);
    return &s->own.shown;
}

void rostering_store_free(rostering_store *store) {
    if (store != NULL) ((rostering_own_store *)store)->free(store);
}
