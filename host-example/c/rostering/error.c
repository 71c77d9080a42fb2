#include "error.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* What extism_plugin_call returns, besides 0. */
enum {
    HOST_FAILED = -1,  /* libextism itself failed: its http_request, in all cases that a client can meet */
    EXPORT_FAILED = 1, /* the export returned it, and set an error */
};

/* libextism's words for the manifest's time-out. */
static const char timed_out[] = "timeout";

static rostering_error out_of_memory = {.code = ROSTERING_PLUGIN_FAILED, .message = "out of memory"};

rostering_error *rostering_out_of_memory(void) {
    return &out_of_memory;
}

static const char *text_of(const json_t *fields, const char *name) {
    return json_string_value(json_object_get(fields, name));
}

static int64_t number_of(const json_t *fields, const char *name) {
    return json_integer_value(json_object_get(fields, name));
}

/* new_error takes over fields, of which the error's text is part; NULL stands for no memory. */
static rostering_error *new_error(json_t *fields) {
    rostering_error *error = fields != NULL ? malloc(sizeof *error) : NULL;
    if (error == NULL) {
        json_decref(fields);
        return rostering_out_of_memory();
    }
    *error = (rostering_error){
        .code = text_of(fields, "code"),
        .message = text_of(fields, "message"),
        .retryable = json_is_true(json_object_get(fields, "retryable")),
        .key = text_of(fields, "key"),
        .status = (int)number_of(fields, "status"),
        .oauth_error = text_of(fields, "oauth_error"),
        .oauth_error_description = text_of(fields, "oauth_error_description"),
        .retry_after = number_of(fields, "retry_after"),
        .body = text_of(fields, "body"),
        .body_length = json_string_length(json_object_get(fields, "body")),
        .body_truncated = json_is_true(json_object_get(fields, "body_truncated")),
        .cause = text_of(fields, "cause"),
        .memory = fields,
    };
    return error;
}

void rostering_error_free(rostering_error *error) {
    if (error == NULL || error == &out_of_memory) {
        return;
    }
    json_decref(error->memory);
    free(error);
}

rostering_error *rostering_plugin_failed(const char *message, const char *cause) {
    return new_error(
        json_pack("{s:s, s:s, s:s*}", "code", ROSTERING_PLUGIN_FAILED, "message", message, "cause", cause));
}

rostering_error *rostering_not_utf8(const char *code, const char *key) {
    return new_error(json_pack("{s:s, s:s, s:s}", "code", code, "message", "use UTF-8", "key", key));
}

rostering_error *rostering_invalid_input(const char *key, const char *message) {
    return new_error(json_pack("{s:s, s:s, s:s}", "code", ROSTERING_INVALID_INPUT, "message", message, "key", key));
}

/*
 * A request that got no answer (refused, no such host, timed out, an answer that is too large) ends the call; the
 * plugin never learns of it. The text is a list of wasm addresses, and does not say why. libextism's log does.
 */
static rostering_error *network_error(const char *text) {
    return new_error(json_pack("{s:s, s:s, s:b, s:s}", "code", ROSTERING_NETWORK_ERROR, "message",
        "a request got no answer; check the addresses and the network, or see libextism's log for the reason",
        "retryable", true, "cause", text));
}

/* contract_error gives NULL if the text is no error of the contract. */
static rostering_error *contract_error(const char *text) {
    json_t *fields = json_loads(text, JSON_ALLOW_NUL, NULL); /* a body may hold zero bytes */
    if (text_of(fields, "code") == NULL || text_of(fields, "message") == NULL) {
        json_decref(fields);
        return NULL;
    }
    return new_error(fields);
}

rostering_error *rostering_late(void) {
    return new_error(json_pack("{s:s, s:s, s:b}", "code", ROSTERING_NETWORK_ERROR, "message",
        "the call's time was over before its turn came", "retryable", true));
}

rostering_error *rostering_call_error(int32_t status, const char *text) {
    if (text == NULL) {
        text = "no reason given";
    }
    if (status == HOST_FAILED || strcmp(text, timed_out) == 0) {
        return network_error(text);
    }
    rostering_error *error = status == EXPORT_FAILED ? contract_error(text) : NULL;
    return error != NULL ? error : rostering_plugin_failed("the plugin broke", text);
}

static void print_text(FILE *file, const char *name, const char *text) {
    if (text != NULL) {
        fprintf(file, "  %-17s %s\n", name, text);
    }
}

static void print_number(FILE *file, const char *name, int64_t number) {
    if (number != 0) {
        fprintf(file, "  %-17s %" PRId64 "\n", name, number);
    }
}

void rostering_error_print(FILE *file, const rostering_error *error) {
    fprintf(file, "rostering: %s: %s\n", error->code, error->message);
    print_text(file, "key", error->key);
    print_number(file, "status", error->status);
    print_text(file, "OAuth error", error->oauth_error);
    print_text(file, "OAuth description", error->oauth_error_description);
    print_text(file, "worth a retry", error->retryable ? "yes" : "no");
    print_number(file, "retry after (s)", error->retry_after);
    print_text(file, "body", error->body);
    print_text(file, "", error->body_truncated ? "(and more)" : NULL);
    if (error->cause != NULL) { /* its first line; wasm addresses follow */
        fprintf(file, "  %-17s %.*s\n", "cause", (int)strcspn(error->cause, "\n"), error->cause);
    }
}
