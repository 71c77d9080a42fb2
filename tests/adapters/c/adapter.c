/* Drives the library for the suite: see ../README.md. Each call has a thread. */
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <openssl/evp.h>
#include <rostering.h>

#include "store.h"

/* A client by its name. It lives as long as the program, since threads of the library may log for it. */
typedef struct client {
    struct client *next;
    char *name;
    rostering_client *handle;
    atomic_llong now; /* what its clock shows */
} client;

/* A request, with what it needs. */
typedef struct call {
    struct call *next;
    const struct operation *operation;
    json_t *request;
    client *client;
    rostering_client *view;
    rostering_cancel *cancel;
} call;

/* An operation. The library does nothing if the error is set, so it returns what it has. */
typedef struct operation {
    const char *name;
    json_t *(*run)(call *c, rostering_error **error);
    bool sends; /* so it has a thread, and a client */
} operation;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of running and standard output */
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;
static sem_t begun; /* posted by a thread that begins its call, for which the next request waits */
static client *clients;
static call *running;

static const json_t *get(const call *c, const char *key) {
    return json_object_get(c->request, key);
}

static const char *text(const json_t *object, const char *key) {
    return json_string_value(json_object_get(object, key));
}

/* milliseconds returns a time that is given in seconds, of which null is none. */
static int64_t milliseconds(const json_t *seconds, int64_t otherwise) {
    if (seconds == NULL) return otherwise;
    return json_is_null(seconds) ? ROSTERING_NO_TIMEOUT : (int64_t)ceil(json_number_value(seconds) * 1000);
}

static json_t *encode(const char *bytes, size_t length) {
    unsigned char *encoded = malloc(length / 3 * 4 + 5);
    EVP_EncodeBlock(encoded, (const unsigned char *)bytes, (int)length);
    json_t *string = json_string((char *)encoded);
    free(encoded);
    return string;
}

/* decode returns bytes to free, and the length in *length. */
static unsigned char *decode(const char *encoded, size_t *length) {
    size_t size = strlen(encoded);
    unsigned char *bytes = malloc(size / 4 * 3 + 1);
    EVP_DecodeBlock(bytes, (const unsigned char *)encoded, (int)size); /* the padding is zero bytes */
    *length = size / 4 * 3 - (size > 0 && encoded[size - 1] == '=') - (size > 1 && encoded[size - 2] == '=');
    return bytes;
}

/* put writes a line. */
static void put(json_t *object) {
    pthread_mutex_lock(&lock);
    json_dumpf(object, stdout, JSON_COMPACT);
    putchar('\n');
    fflush(stdout);
    pthread_mutex_unlock(&lock);
    json_decref(object);
}

static json_t *trap(const char *why) {
    return json_pack("{s:s}", "trap", why);
}

/* error_response frees the error. */
static json_t *error_response(rostering_error *error) {
    json_t *response =
               json_pack("{s:s, s:s}", "error", rostering_error_json(error), "text", rostering_error_text(error)),
           *headers = json_object();
    const char *name, *body = rostering_error_body(error);
    for (size_t i = 0; (name = rostering_error_header_name(error, i)) != NULL; i++) {
        json_object_set_new(headers, name, json_string(rostering_error_header_value(error, i)));
    }
    json_object_set_new(response, "headers", headers);
    if (rostering_error_status(error) != 0) {
        json_object_set_new(response, "status", json_integer(rostering_error_status(error)));
    }
    char *shown = json_dumps(response, 0);
    json_object_set_new(response, "shown", json_string(shown));
    free(shown);
    if (body != NULL) json_object_set_new(response, "body", encode(body, strlen(body)));
    rostering_code code = rostering_error_code(error);
    if (code == ROSTERING_CODE_CLOSED) json_object_set_new(response, "closed", json_true());
    if (code == ROSTERING_CODE_CANCELED) json_object_set_new(response, "canceled", json_true());
    rostering_error_free(error);
    return response;
}

/* service_response frees the response. */
static json_t *service_response(rostering_response *response) {
    if (response == NULL) return NULL;
    json_t *headers = json_object();
    const char *name;
    for (size_t i = 0; (name = rostering_response_header_name(response, i)) != NULL; i++) {
        json_object_set_new(headers, name, json_string(rostering_response_header_value(response, i)));
    }
    json_t *body = encode(rostering_response_body(response), rostering_response_body_length(response));
    int status = rostering_response_status(response);
    rostering_response_free(response);
    return json_pack("{s:i, s:o, s:o}", "status", status, "headers", headers, "body", body);
}

static void log_line(void *context, rostering_log_level level, const char *line) {
    const client *of = context;
    const char *name = level == ROSTERING_LOG_LEVEL_WARN ? "warn" : "debug";
    put(json_pack("{s:s, s:s, s:s, s:s}", "event", "log", "client", of->name, "level", name, "line", line));
}

static int64_t show_clock(void *context) {
    return ((client *)context)->now;
}

/* read_config makes a config of what an open has. */
static rostering_config *read_config(call *c, rostering_error **error) {
    json_t *variables = json_object_get(c->request, "variables"), *value;
    const char *key;
    json_object_foreach(variables, key, value) setenv(key, json_string_value(value), 1);
    rostering_config *config = variables != NULL ? rostering_config_from_env(error) : rostering_config_new();
    json_object_foreach(variables, key, value) unsetenv(key);
    json_object_foreach(json_object_get(c->request, "config"), key, value) {
        rostering_config_set(config, key, json_string_value(value), error);
    }
    if (get(c, "wasm") != NULL) rostering_config_set(config, "plugin_file", text(c->request, "wasm"), error);
    if (get(c, "user_agent") != NULL) rostering_config_set(config, "user_agent", text(c->request, "user_agent"), error);
    rostering_config_set_timeout(config, milliseconds(get(c, "timeout"), ROSTERING_CLIENT_TIMEOUT));
    if (get(c, "max_body") != NULL) {
        rostering_config_set_max_body(config, (size_t)json_integer_value(get(c, "max_body")));
    }
    if (get(c, "store") != NULL)
        rostering_config_set_store(config, find_store(json_object_get(c->request, "store"), error));
    if (json_is_true(get(c, "clock"))) rostering_config_set_clock(config, show_clock, c->client);
    rostering_config_set_log(config, log_line, c->client);
    return config;
}

static json_t *open_client(call *c, rostering_error **error) {
    c->client = calloc(1, sizeof *c->client);
    c->client->name = strdup(text(c->request, "client"));
    c->client->now = json_integer_value(get(c, "now"));
    c->client->next = clients;
    clients = c->client;
    rostering_config *config = read_config(c, error);
    c->client->handle = rostering_client_open(config, error);
    rostering_config_free(config);
    return NULL;
}

static int64_t timeout_of(const call *c) {
    return milliseconds(get(c, "timeout"), ROSTERING_CLIENT_TIMEOUT);
}

static json_t *list_jobs(call *c, rostering_error **error) {
    return service_response(rostering_list_jobs(c->view, timeout_of(c), c->cancel, error));
}

/* A body that is read once. */
typedef struct reading {
    unsigned char *bytes;
    size_t length, done;
} reading;

static ptrdiff_t read_body(void *context, uint8_t *buffer, size_t size) {
    reading *r = context;
    size_t n = r->length - r->done < size ? r->length - r->done : size;
    memcpy(buffer, r->bytes + r->done, n);
    r->done += n;
    return (ptrdiff_t)n;
}

static json_t *send_request(call *c, rostering_error **error) {
    json_t *from = json_object_get(c->request, "request"), *json = json_object_get(from, "json"), *value;
    const char *key, *body = text(from, "body");
    rostering_request *request = rostering_request_new(text(from, "method"), text(from, "path"));
    json_object_foreach(json_object_get(from, "headers"), key, value) {
        rostering_request_set_header(request, key, json_string_value(value));
    }
    json_object_foreach(json_object_get(from, "query"), key, value) {
        rostering_request_add_query(request, key, json_string_value(value));
    }
    if (json != NULL) {
        char *dumped = json_dumps(json, JSON_ENCODE_ANY | JSON_COMPACT);
        rostering_request_set_json(request, dumped);
        free(dumped);
    }
    reading r = {0};
    if (body != NULL) r.bytes = decode(body, &r.length);
    if (json_is_true(json_object_get(from, "once"))) {
        rostering_request_set_read_body(request, read_body, NULL, &r, (int64_t)r.length);
    } else if (body != NULL) {
        rostering_request_set_body(request, r.bytes, r.length);
    }
    json_t *response = service_response(rostering_send_request(c->view, request, timeout_of(c), c->cancel, error));
    rostering_request_free(request);
    free(r.bytes);
    return response;
}

static json_t *get_token(call *c, rostering_error **error) {
    bool force = json_is_true(get(c, "force"));
    const char *refused = text(c->request, "refused");
    rostering_token *token = rostering_get_token(c->view, force, refused, timeout_of(c), c->cancel, error);
    if (token == NULL) return NULL;
    json_t *response = json_pack("{s:{s:s, s:s, s:I, s:s}}", "token", "access_token",
        rostering_token_access_token(token), "token_type", rostering_token_type(token), "expires_at",
        (json_int_t)rostering_token_expires_at(token), "cache_key", rostering_token_cache_key(token));
    rostering_token_free(token);
    return response;
}

static json_t *set_token(call *c, rostering_error **error) {
    const json_t *from = get(c, "token");
    int64_t expires_at = json_integer_value(json_object_get(from, "expires_at"));
    rostering_token *token = rostering_token_new(
        text(from, "access_token"), text(from, "token_type"), expires_at, text(from, "cache_key"), error);
    rostering_set_token(c->view, token, error);
    rostering_token_free(token);
    return NULL;
}

static json_t *clear_token(call *c, rostering_error **error) {
    rostering_clear_token(c->view, error);
    return NULL;
}

static json_t *close_client(call *c, rostering_error **error) {
    (void)error;
    rostering_client_close(c->client->handle, milliseconds(get(c, "timeout"), ROSTERING_NO_TIMEOUT));
    return NULL;
}

static json_t *cancel(call *c, rostering_error **error) {
    (void)error;
    pthread_mutex_lock(&lock);
    for (call *r = running; r != NULL; r = r->next) {
        if (json_equal(get(r, "id"), get(c, "target"))) rostering_cancel_calls(r->cancel);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static json_t *versions(call *c, rostering_error **error) {
    (void)c, (void)error;
    return json_pack(
        "{s:o}", "versions", json_sprintf("gcc %s, rostering %s, wasmi %s", __VERSION__, rostering_version(), WASMI));
}

static const operation operations[] = {
    {"versions", versions, false},
    {"open", open_client, false},
    {"list_jobs", list_jobs, true},
    {"send_request", send_request, true},
    {"get_token", get_token, true},
    {"set_token", set_token, true},
    {"clear_token", clear_token, true},
    {"cancel", cancel, false},
    {"close", close_client, true},
};

/* impossible returns what C cannot do, or NULL. */
static const char *impossible(const call *c) {
    const json_t *timeout = get(c, "timeout"), *max_body = get(c, "max_body");
    if (c->operation == NULL) return "no operation of that name";
    if (c->operation->sends && c->client == NULL) return "no client of that name";
    if (get(c, "log") != NULL) return "a function of C cannot throw";
    if (json_is_integer(max_body) && json_integer_value(max_body) < 0)
        return "max_body is a size_t, which is not negative";
    if (json_is_number(timeout) && json_number_value(timeout) <= 0 && c->operation->run != close_client) {
        return "a timeout of 0 is the client's, and a negative one is none";
    }
    return NULL;
}

/* finish responds, and frees the call. */
static void finish(call *c, json_t *response, rostering_error *error) {
    if (error != NULL) {
        json_decref(response);
        response = error_response(error);
    }
    if (response == NULL) response = json_object();
    json_object_set(response, "id", json_object_get(c->request, "id"));
    put(response);
    pthread_mutex_lock(&lock);
    call **place = &running;
    while (*place != NULL && *place != c) place = &(*place)->next;
    if (*place == c) *place = c->next;
    pthread_cond_signal(&ended);
    pthread_mutex_unlock(&lock);
    rostering_cancel_free(c->cancel);
    json_decref(c->request);
    free(c);
}

/* make_view sets the client that makes the call: its own, or a view. */
static void make_view(call *c, rostering_error **error) {
    static const struct {
        const char *key;
        rostering_client *(*make)(const rostering_client *, const char *, rostering_error **);
    } ids[] = {{"customer_id", rostering_client_for_customer}, {"user_id", rostering_client_for_user}};
    c->view = c->client->handle;
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        if (get(c, ids[i].key) == NULL) continue;
        rostering_client *view = ids[i].make(c->view, text(c->request, ids[i].key), error);
        if (c->view != c->client->handle) rostering_client_free(c->view);
        c->view = view;
    }
}

static void *run(void *argument) {
    call *c = argument;
    rostering_error *error = NULL;
    json_t *response = NULL;
    const json_t *retry = get(c, "retry");
    rostering_retries *retries = NULL;
    if (retry != NULL) retries = rostering_retries_new(milliseconds(json_object_get(retry, "deadline"), 0));
    make_view(c, &error);
    sem_post(&begun);
    do response = c->operation->run(c, &error);
    while (rostering_retry(retries, c->cancel, &error));
    rostering_retries_free(retries);
    if (c->view != c->client->handle) rostering_client_free(c->view);
    finish(c, response, error);
    return NULL;
}

/* start begins a call on a thread of its own. */
static void start(call *c) {
    rostering_error *error = NULL;
    pthread_t thread;
    c->cancel = rostering_cancel_new(&error);
    pthread_mutex_lock(&lock);
    c->next = running;
    running = c;
    pthread_mutex_unlock(&lock);
    pthread_create(&thread, NULL, run, c);
    pthread_detach(thread);
    sem_wait(&begun);
}

/* handle begins an operation. */
static void handle(json_t *request) {
    call *c = calloc(1, sizeof *c);
    c->request = request;
    const char *op = text(request, "op"), *name = text(request, "client");
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        if (strcmp(operations[i].name, op) == 0) c->operation = &operations[i];
    }
    for (client *of = clients; name != NULL && of != NULL && c->client == NULL; of = of->next) {
        if (strcmp(of->name, name) == 0) c->client = of;
    }
    if (c->client != NULL && get(c, "now") != NULL) c->client->now = json_integer_value(get(c, "now"));
    const char *why = impossible(c);
    rostering_error *error = NULL;
    if (why != NULL) {
        finish(c, trap(why), NULL);
    } else if (c->operation->sends) {
        start(c);
    } else {
        json_t *response = c->operation->run(c, &error);
        finish(c, response, error);
    }
}

int main(void) {
    char *line = NULL;
    size_t size = 0;
    sem_init(&begun, 0, 0);
    while (getline(&line, &size, stdin) > 0) handle(json_loads(line, 0, NULL));
    free(line);
    pthread_mutex_lock(&lock);
    for (call *c = running; c != NULL; c = c->next) rostering_cancel_calls(c->cancel);
    while (running != NULL) pthread_cond_wait(&ended, &lock);
    pthread_mutex_unlock(&lock);
    for (client *of = clients, *next; of != NULL; of = next) {
        next = of->next;
        rostering_client_free(of->handle);
        free(of->name);
        free(of);
    }
    free_stores();
    return EXIT_SUCCESS;
}
