#include "request.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

#include "struct.h"

void rostering_set(json_t *input, const char *name, const char *text) {
    if (text != NULL) json_object_set_new(input, name, rostering_utf8(text, strlen(text)));
}

static bool is_invalid(rostering_error **error, const char *key, const char *message) {
    return rostering_fail(error, ROSTERING_INVALID_INPUT, key, "%s", message);
}

/* set_path sets the path with the query parameters, encoded as in a form but with %20 for a space. */
static bool set_path(json_t *input, const rostering_request *request, rostering_error **error) {
    const char *path = request->path != NULL ? request->path : "";
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    if (file == NULL) return rostering_out_of_memory(error);
    fputs(path, file);
    char separator = strchr(path, '?') != NULL ? '&' : '?';
    bool good = true;
    for (const rostering_pair *p = request->query; p != NULL && p->name != NULL; p++, separator = '&') {
        char *name = curl_easy_escape(NULL, p->name, 0);
        char *value = p->value != NULL ? curl_easy_escape(NULL, p->value, 0) : NULL;
        good = good && name != NULL && value != NULL;
        if (good) fprintf(file, "%c%s=%s", separator, name, value);
        curl_free(name);
        curl_free(value);
    }
    good = fclose(file) == 0 &&
           (good || is_invalid(error, "query", "a query parameter has no value: set it, or omit the parameter"));
    if (good && request->path != NULL) rostering_set(input, "path", text);
    free(text);
    return good;
}

static bool set_headers(json_t *input, const rostering_request *request, rostering_error **error) {
    json_t *headers = json_object();
    json_object_set_new(input, "headers", headers);
    for (const rostering_pair *h = request->headers; h != NULL && h->name != NULL; h++) {
        if (h->value == NULL) return is_invalid(error, "headers", "a header has no value: set it, or omit the header");
        if (json_object_get(headers, h->name) != NULL ||
            json_object_set_new(headers, h->name, rostering_utf8(h->value, strlen(h->value))) != 0) {
            return is_invalid(
                error, "headers", "a header is set twice, or its name is not UTF-8: set each header once");
        }
    }
    if (request->json != NULL && rostering_header(request->headers, "Content-Type") == NULL) {
        json_object_set_new(headers, "Content-Type", json_string("application/json"));
    }
    return true;
}

static bool set_body(json_t *input, const rostering_request *request, rostering_body *body, rostering_error **error) {
    bool has_body = request->body != NULL || request->read_body != NULL;
    if (request->json != NULL && has_body) return is_invalid(error, "json", "set either json or a body, not both");
    if (request->body_length > 0 && !has_body)
        return is_invalid(error, "body", "body_length is set, but neither body nor read_body is");
    *body = (rostering_body){
        request->body, request->body_length, request->read_body, request->rewind_body, request->body_context};
    if (request->json != NULL) *body = (rostering_body){.data = request->json, .length = strlen(request->json)};
    if (body->read != NULL || body->length > 0) json_object_set_new(input, "body", json_true());
    return true;
}

json_t *rostering_request_input(const rostering_request *given, rostering_body *body, rostering_error **error) {
    rostering_request request;
    rostering_request_init(&request, sizeof request);
    if (!ROSTERING_READ(&request, given, "request", ROSTERING_INVALID_INPUT, error)) return NULL;
    json_t *input = json_object();
    rostering_set(input, "method", request.method);
    if (set_path(input, &request, error) && set_headers(input, &request, error) &&
        set_body(input, &request, body, error)) {
        return input;
    }
    json_decref(input);
    return NULL;
}

const char *rostering_header(const rostering_pair *headers, const char *name) {
    while (headers != NULL && headers->name != NULL && strcasecmp(headers->name, name) != 0) headers++;
    return headers != NULL ? headers->value : NULL;
}
