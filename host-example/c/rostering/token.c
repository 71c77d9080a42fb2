#include <inttypes.h>
#include <jansson.h>
#include <string.h>
#include <time.h>

#include "error.h"
#include "token.h"

void rostering_token_free(rostering_token *token) {
    json_decref(token->memory);
    *token = (rostering_token){0};
}

rostering_error *rostering_token_parse(const char *json, rostering_token *token) {
    json_t *fields = json_loads(json, 0, NULL);
    json_int_t expires_at = 0;
    rostering_token read = {.memory = fields};
    if (json_unpack(fields, "{s:s, s:s, s:I, s:s}", "access_token", &read.access_token, "token_type", &read.token_type,
            "expires_at", &expires_at, "cache_key", &read.cache_key) != 0) {
        json_decref(fields);
        return rostering_invalid_input("token", "this is no token object");
    }
    read.expires_at = expires_at;
    *token = read;
    return NULL;
}

rostering_error *rostering_token_object(const rostering_token *token, json_t **object) {
    *object = json_pack("{s:s, s:s, s:I, s:s}", "access_token", token->access_token, "token_type", token->token_type,
        "expires_at", (json_int_t)token->expires_at, "cache_key", token->cache_key);
    return *object != NULL ? NULL : rostering_invalid_input("token", "a token has all its fields, in UTF-8");
}

rostering_error *rostering_token_json(const rostering_token *token, char **json) {
    json_t *object = NULL;
    rostering_error *error = rostering_token_object(token, &object);
    if (error == NULL) {
        *json = json_dumps(object, JSON_COMPACT);
        error = *json != NULL ? NULL : rostering_out_of_memory();
    }
    json_decref(object);
    return error;
}

/* A short token would show too much of itself. */
static int shown(size_t length) {
    return length > 16 ? 8 : 0;
}

void rostering_token_print(FILE *file, const rostering_token *token) {
    size_t length = strlen(token->access_token);
    char when[sizeof "2025-01-31T12:00:00Z"] = "?";
    time_t expires_at = (time_t)token->expires_at;
    struct tm utc;
    if (gmtime_r(&expires_at, &utc) != NULL) {
        strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &utc);
    }
    fprintf(file, "%s %.*s… (%zu characters), expires_at %" PRId64 " (%s)\n", token->token_type, shown(length),
        token->access_token, length, token->expires_at, when);
}
