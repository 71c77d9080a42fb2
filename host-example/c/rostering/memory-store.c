#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "wait.h"

typedef struct memory_store {
    rostering_store store;
    pthread_mutex_t lock;
    json_t *entries; /* each a value and a deadline */
} memory_store;

static const char *find(const memory_store *memory, const char *key) {
    const json_t *entry = json_object_get(memory->entries, key);
    bool fresh = rostering_time_left(json_integer_value(json_array_get(entry, 1))) != 0;
    return entry != NULL && fresh ? json_string_value(json_array_get(entry, 0)) : NULL;
}

static bool put(memory_store *memory, const char *key, const char *value, int64_t ttl_seconds) {
    json_int_t deadline = rostering_deadline(ttl_seconds * 1000);
    return json_object_set_new(memory->entries, key, json_pack("[s, I]", value, deadline)) == 0;
}

static bool get(void *context, const char *key, char **value) {
    memory_store *memory = context;
    pthread_mutex_lock(&memory->lock);
    const char *found = find(memory, key);
    *value = found != NULL ? strdup(found) : NULL;
    pthread_mutex_unlock(&memory->lock);
    return true;
}

static bool add(void *context, const char *key, const char *value, int64_t ttl_seconds, bool *added) {
    memory_store *memory = context;
    pthread_mutex_lock(&memory->lock);
    *added = find(memory, key) == NULL;
    bool good = !*added || put(memory, key, value, ttl_seconds);
    pthread_mutex_unlock(&memory->lock);
    return good;
}

static bool set(void *context, const char *key, const char *value, int64_t ttl_seconds) {
    memory_store *memory = context;
    pthread_mutex_lock(&memory->lock);
    bool good = put(memory, key, value, ttl_seconds);
    pthread_mutex_unlock(&memory->lock);
    return good;
}

rostering_store *rostering_memory_store_new(void) {
    memory_store *memory = malloc(sizeof *memory);
    if (memory == NULL) return NULL;
    memory->store = (rostering_store){get, add, set, memory};
    memory->entries = json_object();
    pthread_mutex_init(&memory->lock, NULL);
    return &memory->store;
}

void rostering_memory_store_free(rostering_store *store) {
    if (store == NULL) return;
    memory_store *memory = store->context;
    json_decref(memory->entries);
    pthread_mutex_destroy(&memory->lock);
    free(memory);
}
