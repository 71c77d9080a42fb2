#include "http-store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "http.h"

typedef struct http_store {
    rostering_store store;
    rostering_http *http;
    char url[];
} http_store;

/* post takes over the operation. Returns NULL unless the response is a 200 with JSON. */
static json_t *post(const http_store *remote, int64_t timeout_ms, json_t *operation) {
    char *body = json_dumps(operation, JSON_COMPACT);
    json_decref(operation);
    json_t *step = json_pack(
        "{s:{s:s, s:s, s:{}, s:s}}", "request", "method", "POST", "url", remote->url, "headers", "body", body);
    const rostering_limits limits = {.deadline = rostering_deadline(timeout_ms)};
    rostering_outcome outcome;
    rostering_http_send(remote->http, step, NULL, &limits, &outcome);
    json_decref(step);
    free(body);
    json_t *result = outcome.response.status == 200 ? json_loads(outcome.response.body, 0, NULL) : NULL;
    rostering_response_clear(&outcome.response);
    return result;
}

static int get(void *context, int64_t timeout_ms, const char *key, char **value) {
    json_t *result = post(context, timeout_ms, json_pack("{s:s, s:s}", "op", "get", "key", key));
    const char *found = json_string_value(json_object_get(result, "value"));
    *value = found != NULL ? strdup(found) : NULL;
    json_decref(result);
    return result != NULL ? 0 : EIO;
}

static json_t *write_operation(const char *op, const char *key, const char *value, int64_t ttl_seconds) {
    json_int_t ttl = ttl_seconds;
    return json_pack("{s:s, s:s, s:s, s:I}", "op", op, "key", key, "value", value, "ttl", ttl);
}

static int add(
    void *context, int64_t timeout_ms, const char *key, const char *value, int64_t ttl_seconds, bool *added) {
    json_t *result = post(context, timeout_ms, write_operation("add", key, value, ttl_seconds));
    *added = json_is_true(json_object_get(result, "added"));
    json_decref(result);
    return result != NULL ? 0 : EIO;
}

static int set(void *context, int64_t timeout_ms, const char *key, const char *value, int64_t ttl_seconds) {
    json_t *result = post(context, timeout_ms, write_operation("set", key, value, ttl_seconds));
    json_decref(result);
    return result != NULL ? 0 : EIO;
}

rostering_store *http_store_new(const char *url) {
    http_store *remote = malloc(sizeof *remote + strlen(url) + 1);
    if (remote == NULL) abort();
    remote->store = (rostering_store){sizeof remote->store, get, add, set, remote};
    rostering_options options;
    rostering_options_init(&options, sizeof options);
    remote->http = rostering_http_new(&options);
    strcpy(remote->url, url);
    return &remote->store;
}

void http_store_free(rostering_store *store) {
    if (store == NULL) return;
    http_store *remote = store->context;
    rostering_http_free(remote->http);
    free(remote);
}
