#include "client.h"

#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "struct.h"

const char *rostering_version(void) {
    return ROSTERING_VERSION;
}

bool rostering_client_open_json(
    const json_t *config, const rostering_options *given, rostering_client **client, rostering_error **error) {
    rostering_options options;
    rostering_options_init(&options, sizeof options);
    *client = NULL;
    if (!ROSTERING_READ(&options, given, "options", ROSTERING_CONFIG_INVALID, error)) return false;
    rostering_client *made = calloc(1, sizeof *made);
    if (made == NULL) return rostering_out_of_memory(error);
    made->ids = json_object();
    if (rostering_core_open(config, &options, &made->core, error)) {
        *client = made;
        return true;
    }
    json_decref(made->ids);
    free(made);
    return false;
}

bool rostering_client_open(const rostering_config *config, const rostering_options *options, rostering_client **client,
    rostering_error **error) {
    *client = NULL;
    json_t *keys = rostering_config_json(config, error);
    bool good = keys != NULL && rostering_client_open_json(keys, options, client, error);
    json_decref(keys);
    return good;
}

bool rostering_client_open_from_env(rostering_client **client, rostering_error **error) {
    rostering_config config;
    *client = NULL;
    return rostering_config_from_env(&config, sizeof config, error) &&
           rostering_client_open(&config, NULL, client, error);
}

/* An id that is not UTF-8 gets a U+FFFD, which makes the plugin refuse it, as it does an empty one. */
static rostering_client *view(rostering_client *client, const char *field, const char *id) {
    rostering_client *made = malloc(sizeof *made);
    json_t *ids = json_copy(client->ids), *value = id != NULL ? rostering_utf8(id, strlen(id)) : json_null();
    if (json_object_set_new(ids, field, value) != 0 || made == NULL) {
        json_decref(ids);
        free(made);
        return NULL;
    }
    rostering_core_share(client->core);
    *made = (rostering_client){client->core, ids};
    return made;
}

rostering_client *rostering_client_for_customer(rostering_client *client, const char *customer_id) {
    return view(client, "customer_id", customer_id);
}

rostering_client *rostering_client_for_user(rostering_client *client, const char *user_id) {
    return view(client, "user_id", user_id);
}

bool rostering_client_close(rostering_client *client, int64_t timeout_ms) {
    return rostering_core_close(client->core, timeout_ms);
}

void rostering_client_free(rostering_client *client) {
    if (client == NULL) return;
    rostering_core_leave(client->core);
    json_decref(client->ids);
    free(client);
}
