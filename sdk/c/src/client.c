#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "call.h"
#include "error.h"

enum { DEFAULT_TIMEOUT_MS = 30000 };

const char *rostering_version(void) {
    return ROSTERING_VERSION;
}

static bool set_config(json_t *keys, const rostering_config *config, rostering_error **error) {
    static const char *const environments[] = {NULL, "stage", "production"};
    char margin[24];
    snprintf(margin, sizeof margin, "%" PRId64, config->refresh_margin > 0 ? config->refresh_margin : 0);
    const char *const texts[][2] = {
        {"environment", config->environment <= ROSTERING_PRODUCTION ? environments[config->environment] : "unknown"},
        {"auth_url", config->auth_url},
        {"base_url", config->base_url},
        {"client_id", config->client_id},
        {"client_secret", config->client_secret},
        {"customer_id", config->customer_id},
        {"user_id", config->user_id},
        {"scope", config->scope},
        {"refresh_margin", config->refresh_margin != 0 ? margin : NULL},
        {"allow_http", config->allow_http ? "true" : NULL},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *key = texts[i][0], *text = texts[i][1];
        if (text != NULL && json_object_set_new(keys, key, json_string(text)) != 0) {
            return rostering_fail(error, ROSTERING_CONFIG_INVALID, key, "%s is not UTF-8", key);
        }
    }
    return true;
}

bool rostering_open_json(
    const json_t *config, const rostering_options *options, rostering **client, rostering_error **error) {
    rostering *made = calloc(1, sizeof *made);
    rostering_http *http = made != NULL ? rostering_http_new(options) : NULL;
    *client = NULL;
    if (http == NULL) {
        free(made);
        return rostering_out_of_memory(error);
    }
    if (!rostering_plugin_open(&made->plugin, options, config, error)) {
        rostering_http_free(http);
        free(made);
        return false;
    }
    *client = made;
    made->http = http;
    made->store = options->store;
    made->timeout_ms = options->timeout_ms != 0 ? options->timeout_ms : DEFAULT_TIMEOUT_MS;
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->idle, NULL);
    return true;
}

bool rostering_open(
    const rostering_config *config, const rostering_options *options, rostering **client, rostering_error **error) {
    static const rostering_options none = {0};
    json_t *keys = json_object();
    *client = NULL;
    bool good =
        set_config(keys, config, error) && rostering_open_json(keys, options != NULL ? options : &none, client, error);
    json_decref(keys);
    return good;
}

void rostering_close(rostering *client) {
    pthread_mutex_lock(&client->lock);
    client->closed = true;
    while (client->running > 0) pthread_cond_wait(&client->idle, &client->lock);
    if (client->http != NULL) {
        rostering_plugin_close(&client->plugin);
        rostering_http_free(client->http);
        client->http = NULL;
    }
    pthread_mutex_unlock(&client->lock);
}

void rostering_free(rostering *client) {
    if (client == NULL) return;
    rostering_close(client);
    rostering_cancel_free(client->woken);
    pthread_cond_destroy(&client->idle);
    pthread_mutex_destroy(&client->lock);
    free(client);
}

/* enter enters the client with the input as text, which the caller frees. It takes over input. */
static bool enter(rostering *client, json_t *input, char **text, rostering_error **error) {
    *text = json_dumps(input, JSON_COMPACT);
    json_decref(input);
    bool entered = (*text != NULL || rostering_out_of_memory(error)) && rostering_enter(client, false, error);
    if (!entered) free(*text);
    return entered;
}

/* make makes a call, at the time given or else the clock's. It takes over input. */
static bool make(rostering *client, const char *name, json_t *input, rostering_body *body, const rostering_call *call,
    json_t **token, rostering_response *response, rostering_error **error) {
    static const rostering_call none = {0};
    if (call == NULL) call = &none;
    json_object_set_new(input, "now", json_integer(call->now != 0 ? call->now : (json_int_t)time(NULL)));
    char now[24], *text;
    snprintf(now, sizeof now, "%" PRId64, call->now);
    if (!enter(client, input, &text, error)) return false;
    int64_t timeout_ms = call->timeout_ms != 0 ? call->timeout_ms : client->timeout_ms;
    const rostering_plan plan = {
        name, text, call->now != 0 ? now : NULL, body, {rostering_deadline(timeout_ms), call->cancel}};
    bool good = rostering_make(client, &plan, token, response, error);
    rostering_leave(client);
    free(text);
    return good;
}

/* tell calls an export that sends nothing. It takes over input. */
static bool tell(rostering *client, const char *export, json_t *input, rostering_error **error) {
    char *text;
    if (!enter(client, input, &text, error)) return false;
    bool good = rostering_plugin_call(&client->plugin, export, text, NULL, error);
    rostering_leave(client);
    free(text);
    return good;
}

/* set leaves out NULL. Text that is not UTF-8 gets a U+FFFD, which makes the plugin refuse it: it accepts only ASCII.
 */
static void set(json_t *input, const char *name, const char *text) {
    if (text != NULL) json_object_set_new(input, name, rostering_utf8(text, strlen(text)));
}

bool rostering_get_token(rostering *client, const rostering_token_request *request, const rostering_call *call,
    rostering_token *token, rostering_error **error) {
    rostering_response response = {0};
    json_t *input = json_object(), *object = NULL;
    *token = (rostering_token){0};
    if (request != NULL && request->force) json_object_set_new(input, "force", json_true());
    if (request != NULL) set(input, "refused", request->refused);
    if (!make(client, "get_token", input, NULL, call, &object, &response, error)) return false;
    json_int_t expires_at = 0;
    json_unpack(object, "{s:s, s:s, s:I, s:s}", "access_token", &token->access_token, "token_type", &token->token_type,
        "expires_at", &expires_at, "cache_key", &token->cache_key);
    token->expires_at = expires_at;
    token->memory = object;
    return true;
}

void rostering_token_free(rostering_token *token) {
    json_decref(token->memory);
    *token = (rostering_token){0};
}

bool rostering_set_token(rostering *client, const rostering_token *token, rostering_error **error) {
    json_t *input =
        json_pack("{s:s, s:s, s:I, s:s, s:I}", "access_token", token->access_token, "token_type", token->token_type,
            "expires_at", (json_int_t)token->expires_at, "cache_key", token->cache_key, "now", (json_int_t)time(NULL));
    if (input == NULL) return rostering_fail(error, ROSTERING_INVALID_INPUT, NULL, "set all of the token, in UTF-8");
    return tell(client, "set_token", input, error);
}

bool rostering_clear_token(rostering *client, rostering_error **error) {
    return tell(client, "clear_token", json_object(), error);
}

static void set_ids(json_t *input, const rostering_ids *ids) {
    set(input, "customer_id", ids->customer_id);
    set(input, "user_id", ids->user_id);
    if (ids->omit_customer_id) json_object_set_new(input, "customer_id", json_null());
    if (ids->omit_user_id) json_object_set_new(input, "user_id", json_null());
}

bool rostering_list_jobs(rostering *client, const rostering_ids *ids, const rostering_call *call,
    rostering_response *response, rostering_error **error) {
    json_t *input = json_object(), *none = NULL;
    *response = (rostering_response){0};
    if (ids != NULL) set_ids(input, ids);
    return make(client, "list_jobs", input, NULL, call, &none, response, error);
}

bool rostering_send_request(rostering *client, const rostering_request *request, const rostering_call *call,
    rostering_response *response, rostering_error **error) {
    json_t *input = json_object(), *headers = json_object(), *none = NULL;
    rostering_body body = request->body;
    *response = (rostering_response){0};
    json_object_set_new(input, "headers", headers);
    set(input, "path", request->path);
    set(input, "method", request->method);
    set_ids(input, &request->ids);
    if (body.read != NULL || body.length > 0) json_object_set_new(input, "body", json_true());
    for (const rostering_header *h = request->headers; h != NULL && h->name != NULL; h++) {
        if (json_object_get(headers, h->name) != NULL ||
            json_object_set_new(headers, h->name, rostering_utf8(h->value, strlen(h->value))) != 0) {
            json_decref(input);
            return rostering_fail(
                error, ROSTERING_INVALID_INPUT, "headers", "a header is given twice, or its name is not a token");
        }
    }
    return make(client, "send_request", input, &body, call, &none, response, error);
}

void rostering_response_free(rostering_response *response) {
    free(response->headers); /* with their texts */
    free(response->body);
    *response = (rostering_response){0};
}

const char *rostering_response_header(const rostering_response *response, const char *name) {
    const rostering_header *h = response->headers;
    while (h != NULL && h->name != NULL && strcasecmp(h->name, name) != 0) h++;
    return h != NULL && h->name != NULL ? h->value : NULL;
}
