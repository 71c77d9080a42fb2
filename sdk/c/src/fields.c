/* The fields of structs, by functions. */
#include "rostering.h"

const char *rostering_error_text(const rostering_error *error) {
    return error->text;
}

const char *rostering_error_json(const rostering_error *error) {
    return error->json;
}

const char *rostering_error_code_text(const rostering_error *error) {
    return error->code_text;
}

const char *rostering_error_message(const rostering_error *error) {
    return error->message;
}

bool rostering_error_retryable(const rostering_error *error) {
    return error->retryable;
}

int64_t rostering_error_retry_after(const rostering_error *error) {
    return error->retry_after;
}

int rostering_response_status(const rostering_response *response) {
    return response->status;
}

const char *rostering_response_header(const rostering_response *response, const char *name) {
    return rostering_header(response->headers, name);
}

const char *rostering_response_body(const rostering_response *response) {
    return response->body;
}

size_t rostering_response_body_length(const rostering_response *response) {
    return response->body_length;
}

const char *rostering_token_access_token(const rostering_token *token) {
    return token->access_token;
}
