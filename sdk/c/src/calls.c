/* The calls of rostering.h. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "call.h"
#include "client.h"
#include "request.h"
#include "struct.h"

/* What a call returns: one of the two. */
typedef struct result {
    json_t *token;
    rostering_response *response;
} result;

static bool limit(
    rostering_core *core, const rostering_call *given, rostering_limits *limits, rostering_error **error) {
    rostering_call call;
    rostering_call_init(&call, sizeof call);
    if (!ROSTERING_READ(&call, given, "call", ROSTERING_INVALID_INPUT, error)) return false;
    if (call.timeout_ms == ROSTERING_CLIENT_TIMEOUT) call.timeout_ms = core->options.timeout_ms;
    if (call.timeout_ms <= 0) {
        return rostering_fail(error, ROSTERING_INVALID_INPUT, "timeout_ms",
            "timeout_ms must be positive; for no timeout, use ROSTERING_NO_TIMEOUT");
    }
    *limits = (rostering_limits){rostering_deadline(call.timeout_ms), call.cancel, core->closing};
    return true;
}

/* make makes a call. It takes over input, which is NULL if that could not be made. */
static bool make(rostering_core *core, const char *name, json_t *input, const rostering_body *body,
    const rostering_call *call, result *made, rostering_error **error) {
    rostering_plan plan = {.call = name, .input = input, .body = body};
    bool entered = input != NULL && limit(core, call, &plan.limits, error) && rostering_begin_call(core, error);
    bool good = entered && rostering_make(core, &plan, &made->token, &made->response, error);
    if (entered) rostering_end_call(core);
    json_decref(input);
    return good;
}

/* call_export calls one that sends nothing. It takes over input. */
static bool call_export(rostering_core *core, const char *export, json_t *input, rostering_error **error) {
    char *text = json_dumps(input, JSON_COMPACT);
    bool entered = (text != NULL || rostering_out_of_memory(error)) && rostering_begin_call(core, error);
    bool good = entered && rostering_plugin_call(&core->plugin, export, text, NULL, error);
    if (entered) rostering_end_call(core);
    json_decref(input);
    free(text);
    return good;
}

/* A token and the JSON that owns its strings. */
typedef struct owned_token {
    rostering_token shown; /* first, since it is what the caller frees */
    json_t *fields;
} owned_token;

/* new_token takes over the fields. */
static bool new_token(json_t *fields, rostering_token **token, rostering_error **error) {
    owned_token *made = malloc(sizeof *made);
    json_int_t expires_at = 0;
    if (made == NULL) {
        json_decref(fields);
        return rostering_out_of_memory(error);
    }
    *made = (owned_token){.fields = fields};
    rostering_token_init(&made->shown, sizeof made->shown);
    json_unpack(fields, "{s:s, s:s, s:I, s:s}", "access_token", &made->shown.access_token, "token_type",
        &made->shown.token_type, "expires_at", &expires_at, "cache_key", &made->shown.cache_key);
    made->shown.expires_at = expires_at;
    *token = &made->shown;
    return true;
}

void rostering_token_free(rostering_token *token) {
    if (token == NULL) return;
    owned_token *made = (owned_token *)token;
    json_decref(made->fields);
    free(made);
}

bool rostering_get_token(rostering_client *client, const rostering_token_request *given, const rostering_call *call,
    rostering_token **token, rostering_error **error) {
    rostering_token_request request;
    result made = {0};
    *token = NULL;
    rostering_token_request_init(&request, sizeof request);
    if (!ROSTERING_READ(&request, given, "token_request", ROSTERING_INVALID_INPUT, error)) return false;
    json_t *input = json_object();
    if (request.force) json_object_set_new(input, "force", json_true());
    rostering_set(input, "refused", request.refused);
    return make(client->core, "get_token", input, NULL, call, &made, error) && new_token(made.token, token, error);
}

bool rostering_set_token(rostering_client *client, const rostering_token *given, rostering_error **error) {
    rostering_token token;
    rostering_token_init(&token, sizeof token);
    if (!ROSTERING_READ(&token, given, "token", ROSTERING_INVALID_INPUT, error)) return false;
    json_t *input =
        json_pack("{s:s, s:s, s:I, s:s, s:I}", "access_token", token.access_token, "token_type", token.token_type,
            "expires_at", (json_int_t)token.expires_at, "cache_key", token.cache_key, "now", (json_int_t)time(NULL));
    if (input == NULL)
        return rostering_fail(
            error, ROSTERING_INVALID_INPUT, NULL, "a token needs access_token, token_type and cache_key, in UTF-8");
    return call_export(client->core, "set_token", input, error);
}

bool rostering_clear_token(rostering_client *client, rostering_error **error) {
    return call_export(client->core, "clear_token", json_object(), error);
}

bool rostering_list_jobs(
    rostering_client *client, const rostering_call *call, rostering_response **response, rostering_error **error) {
    result made = {0};
    bool good = make(client->core, "list_jobs", json_copy(client->ids), NULL, call, &made, error);
    *response = made.response;
    return good;
}

bool rostering_send_request(rostering_client *client, const rostering_request *request, const rostering_call *call,
    rostering_response **response, rostering_error **error) {
    rostering_body body = {0};
    result made = {0};
    json_t *input = rostering_request_input(request, &body, error);
    json_object_update(input, client->ids);
    bool good = make(client->core, "send_request", input, &body, call, &made, error);
    *response = made.response;
    return good;
}

void rostering_response_free(rostering_response *response) {
    if (response == NULL) return;
    rostering_response_clear(response);
    free(response);
}
