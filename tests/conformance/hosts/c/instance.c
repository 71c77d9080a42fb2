#include "instance.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "http-store.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for the list and the logs in it */
static instance *instances;

static const char *text_of(const json_t *request, const char *name) {
    const char *text = json_string_value(json_object_get(request, name));
    return text != NULL ? text : "";
}

static void free_instance(instance *i) {
    rostering_client_free(i->client);
    http_store_free(i->store);
    if (i->plain != NULL) extism_plugin_free(i->plain);
    json_decref(i->logs);
    free(i);
}

/* open_client passes the config to the plugin unchanged, since it may be anything. */
static bool open_client(const json_t *request, instance *made, rostering_error **error) {
    const char *url = text_of(request, "store");
    if (*url != '\0') made->store = http_store_new(url);
    rostering_options options;
    rostering_options_init(&options, sizeof options);
    options.store = made->store;
    options.plugin_file = text_of(request, "wasm");
    json_t *config = json_object_get(request, "config"), *none = json_object();
    bool good = rostering_client_open_json(config != NULL ? config : none, &options, &made->client, error);
    json_decref(none);
    return good;
}

static bool open_plain(const json_t *request, instance *made, rostering_error **error) {
    json_t *fields = json_pack("{s:[{s:O}], s:O*, s:O*}", "wasm", "path", json_object_get(request, "wasm"), "config",
        json_object_get(request, "config"), "allowed_hosts", json_object_get(request, "allowed_hosts"));
    char *manifest = json_dumps(fields, JSON_COMPACT), *reason = NULL;
    json_decref(fields);
    if (manifest == NULL) abort();
    bool wasi = json_is_true(json_object_get(request, "wasi"));
    made->plain = extism_plugin_new((const uint8_t *)manifest, strlen(manifest), NULL, 0, wasi, &reason);
    free(manifest);
    if (made->plain != NULL) return true;
    rostering_fail(error, ROSTERING_PLUGIN_FAILED, NULL, "%s", reason);
    extism_plugin_new_error_free(reason);
    return false;
}

bool instance_create(const json_t *request, rostering_error **error) {
    const char *name = text_of(request, "instance");
    instance *made = calloc(1, sizeof *made + strlen(name) + 1);
    if (made == NULL) abort();
    strcpy(made->name, name);
    made->logs = json_array();
    bool library = json_is_true(json_object_get(request, "client"));
    if (!(library ? open_client : open_plain)(request, made, error)) {
        free_instance(made);
        return false;
    }
    rostering_log_uuid(instance_plugin(made), made->uuid);
    pthread_mutex_lock(&lock);
    made->next = instances; /* in front of a closed one of that name */
    instances = made;
    pthread_mutex_unlock(&lock);
    return true;
}

instance *instance_find(const char *name) {
    instance *i = instances;
    while (i != NULL && strcmp(i->name, name) != 0) i = i->next;
    return i;
}

ExtismPlugin *instance_plugin(const instance *i) {
    if (i->client == NULL) return i->plain;
    return i->client->core->http != NULL ? i->client->core->plugin.extism : NULL;
}

static void keep_log(const char *log, ExtismSize length) {
    rostering_line line;
    if (!rostering_log_parse(log, length, &line)) return;
    const char *level = line.level == ROSTERING_LOG_WARN ? "warn" : "debug";
    for (instance *i = instances; i != NULL; i = i->next) {
        if (strncmp(line.uuid, i->uuid, strlen(i->uuid)) != 0) continue;
        json_array_append_new(i->logs, json_pack("{s:s, s:s%}", "level", level, "line", line.text, line.length));
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
