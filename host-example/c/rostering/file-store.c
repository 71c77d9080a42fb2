#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "rostering.h"

typedef struct file_store {
    rostering_store store;
    char folder[];
} file_store;

enum { PATH_SIZE = 4096 };

/* A key may be longer than the name of a file, and may hold slashes: the name is its hash, FNV-1a twice. */
static void name_file(const file_store *files, const char *key, char path[PATH_SIZE]) {
    uint64_t hash[] = {14695981039346656037u, 0};
    for (int i = 0; i < 2; i++) {
        for (const char *c = key; *c != '\0'; c++)
            hash[i] = (hash[i] ^ (unsigned char)*c) * 1099511628211u;
        if (i == 0) hash[1] = ~hash[0];
    }
    snprintf(path, PATH_SIZE, "%s/%016" PRIx64 "%016" PRIx64, files->folder, hash[0], hash[1]);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* read_value returns malloc'd text; NULL if the file is missing, malformed, another key's or expired. */
static char *read_value(const char *path, const char *key) {
    json_t *entry = json_load_file(path, 0, NULL);
    const char *own_key, *value;
    double expires_at;
    bool fresh =
        json_unpack(entry, "{s:s, s:s, s:F}", "key", &own_key, "value", &value, "expires_at", &expires_at) == 0 &&
        strcmp(own_key, key) == 0 && now() < expires_at;
    char *copy = fresh ? strdup(value) : NULL;
    json_decref(entry);
    return copy;
}

/* write_entry writes a file under a name of its own, for the owner alone. */
static bool write_entry(
    const file_store *files, const char *key, const char *value, int64_t ttl_seconds, char path[PATH_SIZE]) {
    if (mkdir(files->folder, 0700) != 0 && errno != EEXIST) return false;
    snprintf(path, PATH_SIZE, "%s/tmp-XXXXXX", files->folder);
    int file = mkstemp(path);
    if (file < 0) return false;
    json_t *entry = json_pack("{s:s, s:s, s:f}", "key", key, "value", value, "expires_at", now() + (double)ttl_seconds);
    bool written = json_dumpfd(entry, file, JSON_COMPACT) == 0;
    json_decref(entry);
    written = close(file) == 0 && written;
    if (!written) unlink(path);
    return written;
}

/*
 * remove_expired makes room for a file. Another process may do so at the same time, and put a new file there: what was
 * removed is looked at again, and put back.
 */
static bool remove_expired(const char *path, const char *key, const char *removed) {
    char *value = read_value(path, key);
    if (value == NULL && rename(path, removed) == 0) {
        value = read_value(removed, key);
        if (value != NULL) (void)!link(removed, path);
        unlink(removed);
    }
    free(value);
    return value == NULL;
}

static bool get(void *context, const char *key, char **value) {
    char path[PATH_SIZE];
    name_file(context, key, path);
    *value = read_value(path, key);
    return *value != NULL || access(path, R_OK) == 0 || errno == ENOENT;
}

static bool set(void *context, const char *key, const char *value, int64_t ttl_seconds) {
    char path[PATH_SIZE], own[PATH_SIZE];
    name_file(context, key, path);
    return write_entry(context, key, value, ttl_seconds, own) && (rename(own, path) == 0 || (unlink(own), false));
}

static bool add(void *context, const char *key, const char *value, int64_t ttl_seconds, bool *added) {
    char path[PATH_SIZE], own[PATH_SIZE], removed[PATH_SIZE + 4];
    name_file(context, key, path);
    if (!write_entry(context, key, value, ttl_seconds, own)) return false;
    snprintf(removed, sizeof removed, "%s.old", own);
    *added = link(own, path) == 0;
    bool good = *added || errno == EEXIST;
    if (!*added && good && remove_expired(path, key, removed)) *added = link(own, path) == 0;
    unlink(own);
    return good;
}

rostering_store *rostering_file_store_new(const char *folder) {
    file_store *files = malloc(sizeof *files + strlen(folder) + 1);
    if (files == NULL) return NULL;
    files->store = (rostering_store){get, add, set, files};
    strcpy(files->folder, folder);
    return &files->store;
}

void rostering_file_store_free(rostering_store *store) {
    if (store != NULL) free(store->context);
}
