#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "extism.h"
#include "manifest.h"
#include "rostering.h"

struct rostering {
    ExtismPlugin *plugin;
    /* libextism locks a call, but not a call together with fetching what came of it. */
    pthread_mutex_t turn;
};

static rostering_error *new_plugin(const char *manifest, ExtismPlugin **plugin) {
    char *reason = NULL;
    const bool wasi = true; /* the plugin's clock is the real one then */
    *plugin = extism_plugin_new((const uint8_t *)manifest, strlen(manifest), NULL, 0, wasi, &reason);
    if (*plugin == NULL) {
        rostering_error *error = rostering_plugin_failed("the plugin could not be loaded", reason);
        extism_plugin_new_error_free(reason);
        return error;
    }
    if (!extism_plugin_function_exists(*plugin, "get_token") || !extism_plugin_function_exists(*plugin, "list_jobs")) {
        extism_plugin_free(*plugin);
        return rostering_plugin_failed("this is not the rostering plugin", NULL);
    }
    return NULL;
}

rostering_error *rostering_open(const char *wasm, const rostering_config *config, rostering **client) {
    char *manifest = NULL;
    ExtismPlugin *plugin = NULL;
    rostering_error *error = rostering_manifest(wasm, config, &manifest);
    if (error == NULL) {
        error = new_plugin(manifest, &plugin);
    }
    free(manifest);
    if (error != NULL) {
        return error;
    }
    rostering *opened = malloc(sizeof *opened);
    if (opened == NULL || pthread_mutex_init(&opened->turn, NULL) != 0) {
        free(opened);
        extism_plugin_free(plugin);
        return rostering_out_of_memory();
    }
    opened->plugin = plugin;
    *client = opened;
    return NULL;
}

void rostering_close(rostering *client) {
    if (client == NULL) {
        return;
    }
    extism_plugin_free(client->plugin);
    pthread_mutex_destroy(&client->turn);
    free(client);
}

/* copy_output copies what is the instance's, and gone with its next call. */
static rostering_error *copy_output(ExtismPlugin *plugin, rostering_body *output) {
    size_t length = extism_plugin_output_length(plugin);
    char *data = malloc(length + 1);
    if (data == NULL) {
        return rostering_out_of_memory();
    }
    if (length > 0) {
        memcpy(data, extism_plugin_output_data(plugin), length);
    }
    data[length] = '\0';
    *output = (rostering_body){.data = data, .length = length};
    return NULL;
}

/* call calls an export with a JSON object, which it takes over; NULL stands for no memory. */
static rostering_error *call(rostering *client, const char *export, json_t *object, rostering_body *output) {
    char *input = json_dumps(object, JSON_COMPACT);
    json_decref(object);
    if (input == NULL) {
        return rostering_out_of_memory();
    }
    pthread_mutex_lock(&client->turn);
    int32_t status = extism_plugin_call(client->plugin, export, (const uint8_t *)input, strlen(input));
    rostering_error *error = status == 0 ? copy_output(client->plugin, output)
                                         : rostering_call_error(status, extism_plugin_error(client->plugin));
    pthread_mutex_unlock(&client->turn);
    free(input);
    return error;
}

static rostering_error *set_id(json_t *input, const char *name, const char *id, bool omit) {
    if (!omit && id == NULL) {
        return NULL;
    }
    return json_object_set_new(input, name, omit ? json_null() : json_string(id)) == 0
               ? NULL
               : rostering_not_utf8(ROSTERING_INVALID_INPUT, name);
}

rostering_error *rostering_list_jobs(rostering *client, const rostering_ids *ids, rostering_body *jobs) {
    json_t *input = json_object();
    rostering_error *error = NULL;
    if (ids != NULL) {
        error = set_id(input, "customer_id", ids->customer_id, ids->omit_customer_id);
    }
    if (ids != NULL && error == NULL) {
        error = set_id(input, "user_id", ids->user_id, ids->omit_user_id);
    }
    if (error != NULL) {
        json_decref(input);
        return error;
    }
    return call(client, "list_jobs", input, jobs);
}

void rostering_body_free(rostering_body *body) {
    free(body->data);
    *body = (rostering_body){0};
}

rostering_error *rostering_get_token(rostering *client, bool force, rostering_token *token) {
    rostering_body output = {0};
    rostering_error *error = call(client, "get_token", json_pack("{s:b}", "force", force), &output);
    if (error != NULL) {
        return error;
    }
    json_t *fields = json_loadb(output.data, output.length, 0, NULL);
    rostering_body_free(&output);
    json_int_t expires_at = 0;
    rostering_token read = {.memory = fields};
    if (json_unpack(fields, "{s:s, s:s, s:I, s:s}", "access_token", &read.access_token, "token_type", &read.token_type,
            "expires_at", &expires_at, "cache_key", &read.cache_key) != 0) {
        json_decref(fields);
        return rostering_plugin_failed("the plugin's token is no token object", NULL);
    }
    read.expires_at = expires_at;
    *token = read;
    return NULL;
}
