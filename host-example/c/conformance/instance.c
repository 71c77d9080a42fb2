#include "instance.h"

#include <stdlib.h>
#include <string.h>

#include "http-store.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for the list, and the logs in it */
static instance *instances;

static const char *text_of(const json_t *request, const char *name) {
    const char *text = json_string_value(json_object_get(request, name));
    return text != NULL ? text : "";
}

static void free_instance(instance *i) {
    rostering_free(i->client);
    http_store_free(i->store);
    if (i->plain != NULL) extism_plugin_free(i->plain);
    json_decref(i->logs);
    free(i);
}

/* open_client passes the config in the manifest, so that it may be anything. */
static char *open_client(const json_t *request, const char *manifest, instance *made) {
    const char *url = text_of(request, "store");
    if (*url != '\0') made->store = http_store_new(url);
    const rostering_options options = {.store = made->store, .plugin = manifest, .plugin_size = strlen(manifest)};
    rostering_error *error = NULL;
    rostering_open(&(rostering_config){0}, &options, &made->client, &error);
    char *reason = error != NULL ? strdup(error->message) : NULL;
    rostering_error_free(error);
    return reason;
}

static char *open_plain(const json_t *request, const char *manifest, instance *made) {
    char *text = NULL, *reason = NULL;
    bool wasi = json_is_true(json_object_get(request, "wasi"));
    made->plain = extism_plugin_new((const uint8_t *)manifest, strlen(manifest), NULL, 0, wasi, &text);
    if (made->plain == NULL) {
        reason = strdup(text);
        extism_plugin_new_error_free(text);
    }
    return reason;
}

/* name_plugin keeps the plugin's UUID as the log writes it. */
static void name_plugin(instance *made) {
    const uint8_t *id = extism_plugin_id(instance_plugin(made));
    for (int i = 0, at = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) made->uuid[at++] = '-';
        at += snprintf(made->uuid + at, 3, "%02x", id[i]);
    }
}

char *instance_create(const json_t *request) {
    const char *name = text_of(request, "instance");
    json_t *manifest = json_pack("{s:[{s:O}], s:O*, s:O*}", "wasm", "path", json_object_get(request, "wasm"), "config",
        json_object_get(request, "config"), "allowed_hosts", json_object_get(request, "allowed_hosts"));
    char *text = json_dumps(manifest, JSON_COMPACT);
    json_decref(manifest);
    instance *made = calloc(1, sizeof *made + strlen(name) + 1);
    if (made == NULL || text == NULL) abort();
    strcpy(made->name, name);
    made->logs = json_array();
    bool library = json_is_true(json_object_get(request, "client"));
    char *reason = (library ? open_client : open_plain)(request, text, made);
    free(text);
    if (reason != NULL) {
        free_instance(made);
        return reason;
    }
    name_plugin(made);
    pthread_mutex_lock(&lock);
    made->next = instances; /* in front of a closed one of that name */
    instances = made;
    pthread_mutex_unlock(&lock);
    return NULL;
}

instance *instance_find(const char *name) {
    instance *i = instances;
    while (i != NULL && strcmp(i->name, name) != 0) i = i->next;
    return i;
}

ExtismPlugin *instance_plugin(const instance *i) {
    if (i->client == NULL) return i->plain;
    return i->client->http != NULL ? i->client->plugin.extism : NULL;
}

/* keep_log keeps a line such as: 2025-01-31T12:00:00.123456Z DEBUG extism::pdk: HTTP 200 to … plugin="…" */
static void keep_log(const char *line, ExtismSize length) {
    static const char target[] = " extism::pdk: ", mark[] = " plugin=\"";
    const char *text = memmem(line, length, target, strlen(target));
    const char *end = text != NULL ? memmem(text, (size_t)(line + length - text), mark, strlen(mark)) : NULL;
    if (end == NULL) return;
    const char *level = text - line > 5 && strncmp(text - 5, " WARN", 5) == 0 ? "warn" : "debug";
    text += strlen(target);
    for (instance *i = instances; i != NULL; i = i->next) {
        if (strncmp(end + strlen(mark), i->uuid, strlen(i->uuid)) != 0) continue;
        json_array_append_new(i->logs, json_pack("{s:s, s:s%}", "level", level, "line", text, (size_t)(end - text)));
    }
}

void instance_clear_logs(instance *i) {
    pthread_mutex_lock(&lock);
    extism_log_drain(keep_log);
    json_array_clear(i->logs);
    pthread_mutex_unlock(&lock);
}

json_t *instance_logs(instance *i) {
    pthread_mutex_lock(&lock);
    extism_log_drain(keep_log);
    json_t *logs = json_deep_copy(i->logs);
    pthread_mutex_unlock(&lock);
    return logs;
}

void instances_free(void) {
    while (instances != NULL) {
        instance *i = instances;
        instances = i->next;
        free_instance(i);
    }
}
