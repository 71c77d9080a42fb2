#include <inttypes.h>
#include <jansson.h>
#include <string.h>
#include <time.h>

#include "rostering.h"

void rostering_token_free(rostering_token *token) {
    json_decref(token->memory);
    *token = (rostering_token){0};
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
