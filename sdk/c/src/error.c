#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const codes[] = {
    [ROSTERING_INVALID_INPUT] = "invalid_input",
    [ROSTERING_CONFIG_MISSING] = "config_missing",
    [ROSTERING_CONFIG_INVALID] = "config_invalid",
    [ROSTERING_CLOCK_UNUSABLE] = "clock_unusable",
    [ROSTERING_TOKEN_ENDPOINT_REJECTED] = "token_endpoint_rejected",
    [ROSTERING_TOKEN_ENDPOINT_UNAVAILABLE] = "token_endpoint_unavailable",
    [ROSTERING_TOKEN_RESPONSE_INVALID] = "token_response_invalid",
    [ROSTERING_TOKEN_MISMATCH] = "token_mismatch",
    [ROSTERING_SERVICE_UNAUTHORIZED] = "service_unauthorized",
    [ROSTERING_SERVICE_ERROR] = "service_error",
    [ROSTERING_NETWORK_ERROR] = "network_error",
    [ROSTERING_CANCELED] = "canceled",
    [ROSTERING_CLOSED] = "closed",
    [ROSTERING_PLUGIN_FAILED] = "plugin_failed",
    [ROSTERING_STORE_FAILED] = "store_failed",
    [ROSTERING_OUT_OF_MEMORY] = "out_of_memory",
};

static rostering_error out_of_memory = {
    .code = ROSTERING_OUT_OF_MEMORY,
    .code_text = "out_of_memory",
    .message = "out of memory",
    .text = "out_of_memory: out of memory",
    .json = "{\"code\":\"out_of_memory\",\"message\":\"out of memory\",\"retryable\":false}",
};

/* An error and what owns its strings. */
typedef struct owned_error {
    rostering_error shown; /* first, since it is what the caller frees */
    json_t *fields;
    char *text;
    char *json;
} owned_error;

static rostering_code code_of(const char *text) {
    size_t i = sizeof codes / sizeof *codes - 1;
    while (i > ROSTERING_UNKNOWN_CODE && strcmp(codes[i], text) != 0) i--;
    return (rostering_code)i;
}

/* decode sets the fields. The JSON owns their strings. */
static void decode(rostering_error *e, json_t *fields) {
    int retryable = 0, truncated = 0;
    json_int_t retry_after = 0;
    json_unpack(fields, "{s:s, s:s, s?b, s?s, s?i, s?s, s?s, s?I, s?s%, s?b}", "code", &e->code_text, "message",
        &e->message, "retryable", &retryable, "key", &e->key, "status", &e->status, "oauth_error", &e->oauth_error,
        "oauth_error_description", &e->oauth_error_description, "retry_after", &retry_after, "body", &e->body,
        &e->body_length, "body_truncated", &truncated);
    e->code = code_of(e->code_text);
    e->retryable = retryable != 0;
    e->retry_after = retry_after;
    e->body_truncated = truncated != 0;
}

/* describe returns the error as one line, although what others sent may have newlines. */
static char *describe(const rostering_error *e) {
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    if (file == NULL) return NULL;
    fprintf(file, "%s: %s", e->code_text, e->message);
    const char *separator = " (";
    if (e->status != 0) fprintf(file, "%sstatus %d", separator, e->status), separator = ", ";
    if (e->oauth_error != NULL) fprintf(file, "%s%s", separator, e->oauth_error), separator = ", ";
    if (e->oauth_error_description != NULL) {
        fprintf(file, "%s%s", e->oauth_error != NULL ? ": " : separator, e->oauth_error_description);
        separator = ", ";
    }
    if (*separator == ',') fputc(')', file);
    if (fclose(file) != 0) return NULL;
    for (char *c = text; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ') *c = ' ';
    }
    return text;
}

bool rostering_pass(rostering_error **error, rostering_error *reason) {
    if (error == NULL) rostering_error_free(reason);
    if (error != NULL) *error = reason;
    return false;
}

bool rostering_out_of_memory(rostering_error **error) {
    return rostering_pass(error, &out_of_memory);
}

bool rostering_fail_with(rostering_error **error, json_t *fields) {
    owned_error *made = fields != NULL ? calloc(1, sizeof *made) : NULL;
    if (made == NULL) {
        json_decref(fields);
        return rostering_out_of_memory(error);
    }
    made->fields = fields;
    decode(&made->shown, fields);
    made->shown.text = made->text = describe(&made->shown);
    made->shown.json = made->json = json_dumps(fields, JSON_COMPACT);
    if (made->text != NULL && made->json != NULL) return rostering_pass(error, &made->shown);
    rostering_error_free(&made->shown);
    return rostering_out_of_memory(error);
}

bool rostering_fail(rostering_error **error, rostering_code code, const char *key, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    json_t *message = json_vsprintf(format, arguments);
    va_end(arguments);
    return rostering_fail_with(error,
        json_pack("{s:s, s:o, s:b, s:s*}", "code", codes[code], "message", message, "retryable", false, "key", key));
}

void rostering_error_free(rostering_error *error) {
    if (error == NULL || error == &out_of_memory) return;
    owned_error *made = (owned_error *)error;
    json_decref(made->fields);
    free(made->text);
    free(made->json);
    free((void *)error->headers);
    free(made);
}

void rostering_error_set_headers(rostering_error *error, const rostering_pair *headers) {
    if (error == &out_of_memory) {
        free((void *)headers);
    } else {
        error->headers = headers;
    }
}

/* character_length returns the length of the UTF-8 character at data, or 0: jansson knows. */
static size_t character_length(const char *data, size_t length) {
    for (size_t n = 1; n <= length && n <= 4; n++) {
        json_t *character = json_stringn(data, n);
        json_decref(character);
        if (character != NULL) return n;
    }
    return 0;
}

json_t *rostering_utf8(const char *data, size_t length) {
    json_t *text = json_stringn(data, length);
    char *valid = text == NULL ? malloc(3 * length) : NULL, *end = valid;
    for (size_t i = 0; i < length && valid != NULL;) {
        size_t n = (data[i] & 0x80) == 0 ? 1 : character_length(data + i, length - i);
        end = n > 0 ? mempcpy(end, data + i, n) : mempcpy(end, "\xef\xbf\xbd", 3);
        i += n > 0 ? n : 1;
    }
    if (valid != NULL) text = json_stringn(valid, (size_t)(end - valid));
    free(valid);
    return text;
}
