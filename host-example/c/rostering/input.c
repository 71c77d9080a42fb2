#include "input.h"

#include "error.h"

/* set_text leaves out what is NULL. field is what an error names. */
static rostering_error *set_text(json_t *object, const char *name, const char *text, const char *field) {
    if (text == NULL || json_object_set_new(object, name, json_string(text)) == 0) {
        return NULL;
    }
    return rostering_not_utf8(ROSTERING_INVALID_INPUT, field);
}

static rostering_error *set_id(json_t *input, const char *name, const char *id, bool omit) {
    if (!omit) {
        return set_text(input, name, id, name);
    }
    return json_object_set_new(input, name, json_null()) == 0 ? NULL : rostering_out_of_memory();
}

rostering_error *rostering_set_ids(json_t *input, const rostering_ids *ids) {
    if (ids == NULL) {
        return NULL;
    }
    rostering_error *error = set_id(input, "customer_id", ids->customer_id, ids->omit_customer_id);
    return error != NULL ? error : set_id(input, "user_id", ids->user_id, ids->omit_user_id);
}

static rostering_error *set_headers(json_t *input, const rostering_header *header) {
    json_t *headers = json_object();
    rostering_error *error = NULL;
    for (; header->name != NULL && error == NULL; header++) {
        if (json_object_get(headers, header->name) != NULL) {
            error = rostering_invalid_input("headers", "a header is given twice"); /* a JSON object holds it once */
        } else {
            error = set_text(headers, header->name, header->value, "headers");
        }
    }
    if (error == NULL && json_object_set(input, "headers", headers) != 0) {
        error = rostering_out_of_memory();
    }
    json_decref(headers);
    return error;
}

rostering_error *rostering_set_request(json_t *input, const rostering_request *request) {
    rostering_error *error = rostering_set_ids(input, request->ids);
    const struct {
        const char *name, *text;
    } texts[] = {{"path", request->path}, {"method", request->method}, {"body", request->body}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts && error == NULL; i++) {
        error = set_text(input, texts[i].name, texts[i].text, texts[i].name);
    }
    return error == NULL && request->headers != NULL ? set_headers(input, request->headers) : error;
}
