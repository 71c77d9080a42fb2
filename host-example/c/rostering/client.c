#include <stdlib.h>
#include <time.h>

#include "deadline.h"
#include "drive.h"
#include "error.h"
#include "input.h"
#include "manifest.h"
#include "token.h"

struct rostering {
    rostering_instance instance;
    rostering_http *http; /* of a driver; else NULL */
    int64_t timeout_ms;   /* of a driver; else libextism ends calls */
};

static rostering_error *open_instance(
    const char *wasm, const rostering_config *config, bool sends, rostering_instance *instance) {
    char *manifest = NULL;
    rostering_error *error = rostering_manifest(wasm, config, sends, &manifest);
    if (error == NULL) {
        error = rostering_instance_open(instance, manifest);
    }
    free(manifest);
    return error;
}

/* open_client takes over http, which is NULL unless the client drives. */
static rostering_error *open_client(
    const char *wasm, const rostering_config *config, rostering_http *http, rostering **client) {
    rostering *opened = calloc(1, sizeof *opened);
    if (opened == NULL) {
        rostering_http_free(http);
        return rostering_out_of_memory();
    }
    rostering_error *error = open_instance(wasm, config, http == NULL, &opened->instance);
    if (error != NULL) {
        rostering_http_free(http);
        free(opened);
        return error;
    }
    opened->http = http;
    opened->timeout_ms = http != NULL ? config->timeout_ms : -1;
    *client = opened;
    return NULL;
}

rostering_error *rostering_open(const char *wasm, const rostering_config *config, rostering **client) {
    return open_client(wasm, config, NULL, client);
}

rostering_error *rostering_open_driver(const char *wasm, const rostering_config *config, rostering **client) {
    rostering_http *http = rostering_http_new(config);
    return http != NULL ? open_client(wasm, config, http, client) : rostering_out_of_memory();
}

void rostering_close(rostering *client) {
    if (client == NULL) {
        return;
    }
    rostering_instance_close(&client->instance);
    rostering_http_free(client->http);
    free(client);
}

/* tell calls an export that sends no requests, or sends them itself. It takes over input; NULL stands for no memory. */
static rostering_error *tell(rostering *client, const char *export, json_t *input, rostering_body *output) {
    if (!rostering_turn_take(&client->instance.turn, rostering_deadline(client->timeout_ms))) {
        json_decref(input);
        return rostering_late();
    }
    rostering_error *error = rostering_instance_call(&client->instance, export, input, output);
    rostering_turn_leave(&client->instance.turn);
    json_decref(input);
    return error;
}

/* call makes a call that may need requests. It takes over input; NULL stands for no memory. */
static rostering_error *call(rostering *client, const char *name, json_t *input, rostering_body *output) {
    if (client->http == NULL) {
        return tell(client, name, input, output);
    }
    return rostering_drive(
        &client->instance, client->http, name, input, rostering_deadline(client->timeout_ms), output);
}

rostering_error *rostering_list_jobs(rostering *client, const rostering_ids *ids, rostering_body *jobs) {
    json_t *input = json_object();
    rostering_error *error = rostering_set_ids(input, ids);
    if (error != NULL) {
        json_decref(input);
        return error;
    }
    return call(client, "list_jobs", input, jobs);
}

rostering_error *rostering_send_request(rostering *client, const rostering_request *request, rostering_body *answer) {
    json_t *input = json_object();
    rostering_error *error = rostering_set_request(input, request);
    if (error != NULL) {
        json_decref(input);
        return error;
    }
    return call(client, "send_request", input, answer);
}

void rostering_body_free(rostering_body *body) {
    free(body->data);
    *body = (rostering_body){0};
}

rostering_error *rostering_get_token(rostering *client, bool force, rostering_token *token) {
    rostering_body output = {0};
    rostering_error *error = call(client, "get_token", json_pack("{s:b}", "force", force), &output);
    if (error == NULL) {
        error = rostering_token_parse(output.data, token);
        rostering_body_free(&output);
    }
    return error;
}

rostering_error *rostering_set_token(rostering *client, const rostering_token *token) {
    json_t *input = NULL;
    rostering_error *error = rostering_token_object(token, &input);
    if (error != NULL) {
        return error;
    }
    if (client->http != NULL) { /* for a build of the plugin that has no clock */
        json_object_set_new(input, "now", json_integer((json_int_t)time(NULL)));
    }
    rostering_body nothing = {0};
    error = tell(client, "set_token", input, &nothing);
    rostering_body_free(&nothing);
    return error;
}

rostering_error *rostering_clear_token(rostering *client) {
    rostering_body nothing = {0};
    rostering_error *error = tell(client, "clear_token", json_object(), &nothing);
    rostering_body_free(&nothing);
    return error;
}
