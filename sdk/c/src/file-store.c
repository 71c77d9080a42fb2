/* The format and the protocol are those of the file stores in all languages: docs/fleet.md. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "error.h"
#include "store.h"

enum { ABANDONED_AFTER_SECONDS = 60, HASH_LENGTH = 64, NAME_SIZE = 128 };

typedef struct file_store {
    rostering_own_store own;
    int folder;
} file_store;

/* hash_of writes the key's SHA-256 in hex. */
static int hash_of(const char *key, char hash[HASH_LENGTH + 1]) {
    unsigned char bytes[EVP_MAX_MD_SIZE];
    if (EVP_Digest(key, strlen(key), bytes, NULL, EVP_sha256(), NULL) != 1) return ENOTSUP;
    for (int i = 0; i < HASH_LENGTH / 2; i++) snprintf(hash + 2 * i, 3, "%02x", bytes[i]);
    return 0;
}

static DIR *list(const file_store *s) {
    int folder = openat(s->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *names = folder >= 0 ? fdopendir(folder) : NULL;
    if (names == NULL && folder >= 0) close(folder);
    return names;
}

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* parse returns the value in the content of a file, or NULL if it has expired or the content is malformed. */
static const char *parse(const char *text) {
    size_t digits = strspn(text, "0123456789");
    bool formed = digits > 0 && digits <= 18 && text[digits] == '\n';
    return formed && strtoll(text, NULL, 10) > now_ms() ? text + digits + 1 : NULL;
}

/* read_value sets *value to the value of a key, which the caller frees, or NULL. */
static int read_value(const file_store *s, const char *hash, char **value) {
    char *text = NULL;
    size_t size = 0;
    *value = NULL;
    int descriptor = openat(s->folder, hash, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return errno == ENOENT ? 0 : errno;
    FILE *file = fdopen(descriptor, "r");
    if (file == NULL) {
        int reason = errno;
        close(descriptor);
        return reason;
    }
    ssize_t length = getdelim(&text, &size, '\0', file); /* the whole file: it contains no zero byte */
    int reason = ferror(file) ? EIO : 0;
    const char *found = length > 0 ? parse(text) : NULL;
    *value = found != NULL ? strdup(found) : NULL;
    if (found != NULL && *value == NULL) reason = ENOMEM;
    fclose(file);
    free(text);
    return reason;
}

/* write_temporary writes a file completely, and sets its name. */
static int write_temporary(
    const file_store *s, const char *hash, const char *value, int64_t ttl_seconds, char name[NAME_SIZE]) {
    uint64_t random = 0;
    if (getrandom(&random, sizeof random, 0) < 0) return errno;
    snprintf(name, NAME_SIZE, "%s.tmp.%016" PRIx64, hash, random);
    int descriptor = openat(s->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0) return errno;
    bool good = dprintf(descriptor, "%" PRId64 "\n%s", now_ms() + ttl_seconds * 1000, value) > 0;
    int reason = good ? 0 : errno;
    if (close(descriptor) != 0 && reason == 0) reason = errno;
    if (reason != 0) unlinkat(s->folder, name, 0);
    return reason;
}

static bool is_abandoned(const file_store *s, const char *name) {
    struct stat about;
    bool temporary = strlen(name) > HASH_LENGTH && strncmp(name + HASH_LENGTH, ".tmp.", 5) == 0;
    return temporary && fstatat(s->folder, name, &about, AT_SYMLINK_NOFOLLOW) == 0 &&
           time(NULL) - about.st_mtime > ABANDONED_AFTER_SECONDS;
}

/* tidy removes the temporary files of processes that died. */
static void tidy(const file_store *s) {
    DIR *names = list(s);
    for (const struct dirent *entry; names != NULL && (entry = readdir(names)) != NULL;) {
        if (is_abandoned(s, entry->d_name)) unlinkat(s->folder, entry->d_name, 0);
    }
    if (names != NULL) closedir(names);
}

/* link_new links the file to the key's name if the key has no value; an expired or malformed one is replaced. */
static int link_new(const file_store *s, const char *hash, const char *temporary, bool *added) {
    char *live = NULL;
    int reason = read_value(s, hash, &live);
    bool has = live != NULL;
    free(live);
    if (reason != 0 || has) return reason;
    unlinkat(s->folder, hash, 0);
    *added = linkat(s->folder, temporary, s->folder, hash, 0) == 0;
    return *added || errno == EEXIST ? 0 : errno;
}

/* put sets the key, or adds it if added is not NULL. */
static int put(const file_store *s, const char *key, const char *value, int64_t ttl_seconds, bool *added) {
    char hash[HASH_LENGTH + 1], temporary[NAME_SIZE];
    if (added != NULL) *added = false;
    tidy(s);
    int reason = hash_of(key, hash);
    if (reason == 0) reason = write_temporary(s, hash, value, ttl_seconds, temporary);
    if (reason != 0) return reason;
    if (added == NULL && renameat(s->folder, temporary, s->folder, hash) == 0) return 0;
    reason = added != NULL ? link_new(s, hash, temporary, added) : errno;
    unlinkat(s->folder, temporary, 0);
    return reason;
}

static int get(void *context, int64_t timeout_ms, const char *key, char **value) {
    char hash[HASH_LENGTH + 1];
    (void)timeout_ms; /* nothing here waits */
    int reason = hash_of(key, hash);
    return reason == 0 ? read_value(context, hash, value) : reason;
}

static int add(
    void *context, int64_t timeout_ms, const char *key, const char *value, int64_t ttl_seconds, bool *added) {
    (void)timeout_ms;
    return put(context, key, value, ttl_seconds, added);
}

static int set(void *context, int64_t timeout_ms, const char *key, const char *value, int64_t ttl_seconds) {
    (void)timeout_ms;
    return put(context, key, value, ttl_seconds, NULL);
}

static void free_store(void *store) {
    file_store *s = store;
    close(s->folder);
    free(s);
}

bool rostering_file_store_new(const char *folder, rostering_store **store, rostering_error **error) {
    *store = NULL;
    if (mkdir(folder, 0700) != 0 && errno != EEXIST) {
        return rostering_fail(error, ROSTERING_STORE_FAILED, NULL,
            "cannot create the folder %s: %s; use one that this user can create", folder, strerror(errno));
    }
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0 || faccessat(descriptor, ".", R_OK | W_OK | X_OK, AT_EACCESS) != 0) {
        rostering_fail(error, ROSTERING_STORE_FAILED, NULL,
            "cannot use the folder %s: %s; use one that this user can read and write", folder, strerror(errno));
        if (descriptor >= 0) close(descriptor);
        return false;
    }
    file_store *s = malloc(sizeof *s);
    if (s == NULL) {
        close(descriptor);
        return rostering_out_of_memory(error);
    }
    *s = (file_store){.own = {{sizeof s->own.shown, get, add, set, s}, free_store}, .folder = descriptor};
    *store = &s->own.shown;
    return true;
}
