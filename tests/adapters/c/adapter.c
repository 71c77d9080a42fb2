/* Drives the library for the suite: see ../README.md. Each request has a thread. */
#include <math.h>
#include <pthread.h>
#include <search.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <rostering.h>

/* A client, which lives as long as the program, since a thread of the library may log for it. */
typedef struct client {
    struct client *next;
    char *name;
    rostering_client *handle;
    atomic_llong now; /* what its clock shows */
    int calls;        /* that run */
} client;

typedef struct call {
    struct call *next;
    json_t *request;
    client *client;
    rostering_client *view;
    rostering_cancel *cancel;
    int64_t timeout_ms;
} call;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of running, calls and standard output */
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;
static call *running;
static client nobody = {.name = ""}, *clients = &nobody; /* the last first */

/* Posted by a thread that begins its call or has opened a client, for which the next request waits. */
static sem_t begun;

rostering_store *make_http_store(const char *url, rostering_error **error);

static json_t *get(const call *c, const char *key) {
    return json_object_get(c->request, key);
}

static const char *text(const json_t *object, const char *key) {
    return json_string_value(json_object_get(object, key));
}

/* milliseconds converts a timeout from seconds; null means no timeout. */
static int64_t milliseconds(const json_t *seconds, int64_t otherwise) {
    if (seconds == NULL) return otherwise;
    return json_is_null(seconds) ? ROSTERING_NO_TIMEOUT : (int64_t)ceil(json_number_value(seconds) * 1000);
}

/* characters makes a string with a character for each byte. */
static json_t *characters(const char *bytes, size_t length) {
    char *text = malloc(2 * length + 1), *end = text;
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)bytes[i];
        if (byte >= 0x80) *end++ = (char)(0xC0 | byte >> 6);
        *end++ = (char)(byte < 0x80 ? byte : 0x80 | (byte & 0x3F));
    }
    json_t *string = json_stringn(text, (size_t)(end - text));
    free(text);
    return string;
}

/* put writes a line, and frees its object. */
static void put(json_t *object) {
    pthread_mutex_lock(&lock);
    json_dumpf(object, stdout, JSON_COMPACT);
    putchar('\n');
    fflush(stdout);
    pthread_mutex_unlock(&lock);
    json_decref(object);
}

/* add adds a response of the service, if there is one. */
static json_t *add(json_t *to, const rostering_response *response) {
    if (response == NULL) return to;
    json_t *headers = json_object();
    const char *name, *value;
    for (size_t i = 0; (value = rostering_response_header_at(response, i, &name)) != NULL; i++) {
        json_object_set_new(headers, name, json_string(value));
    }
    json_object_set_new(to, "headers", headers);
    json_object_set_new(to, "status", json_integer(rostering_response_status(response)));
    size_t length = rostering_response_body_length(response);
    json_object_set_new(to, "body", characters(rostering_response_body(response), length));
    return to;
}

/* of_error frees the error. */
static json_t *of_error(rostering_error *error) {
    json_t *all =
        json_pack("{s:s, s:s}", "error", rostering_error_full_json(error), "text", rostering_error_text(error));
    add(all, rostering_error_response(error));
    rostering_error_free(error);
    return all;
}

/* of_service frees the response. */
static json_t *of_service(rostering_response *response) {
    if (response == NULL) return NULL;
    json_t *all = add(json_object(), response);
    rostering_response_free(response);
    return all;
}

static void log_line(void *context, rostering_log_level level, const char *line) {
    put(json_pack("{s:s, s:s, s:s, s:s}", "event", "log", "client", ((client *)context)->name, "line", line, "level",
        level == ROSTERING_LOG_LEVEL_WARN ? "warn" : "debug"));
}

static int64_t show_clock(void *context) {
    return ((client *)context)->now;
}

/* find_store returns the store of that name, which is made first. */
static rostering_store *find_store(json_t *from, rostering_error **error) {
    const char *name = text(from, "name"), *url = text(from, "url");
    ENTRY *found = hsearch((ENTRY){.key = (char *)name}, FIND);
    if (found != NULL) return found->data;
    rostering_store *made =
        strncmp(url, "http:", 5) == 0 ? make_http_store(url, error) : rostering_store_open(url, error);
    if (made != NULL) hsearch((ENTRY){.key = strdup(name), .data = made}, ENTER);
    return made;
}

static void set_number(rostering_config *config, const char *key, int64_t number, rostering_error **error) {
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)number);
    rostering_config_set(config, key, text, error);
}

static rostering_config *read_config(call *c, rostering_error **error) {
    json_t *variables = get(c, "variables"), *value;
    const char *key;
    json_object_foreach(variables, key, value) setenv(key, json_string_value(value), 1);
    rostering_config *config = rostering_config_from_env(error);
    json_object_foreach(variables, key, value) unsetenv(key);
    json_object_foreach(get(c, "headers"), key, value)
        rostering_config_set_header(config, key, json_string_value(value), error);
    if (get(c, "wasm")) rostering_config_set(config, "plugin_file", text(c->request, "wasm"), error);
    if (get(c, "user_agent")) rostering_config_set(config, "user_agent", text(c->request, "user_agent"), error);
    if (get(c, "max_body")) set_number(config, "max_body", json_integer_value(get(c, "max_body")), error);
    if (get(c, "store")) rostering_config_set_store(config, find_store(get(c, "store"), error));
    rostering_config_set_clock(config, show_clock, c->client);
    if (get(c, "timeout")) set_number(config, "timeout_ms", c->timeout_ms, error);
    rostering_config_set_log(config, log_line, c->client);
    return config;
}

static json_t *open_client(call *c, rostering_error **error) {
    c->client = calloc(1, sizeof *c->client);
    *c->client = (client){.next = clients, .name = strdup(text(c->request, "client")), .calls = 1};
    c->client->now = json_integer_value(get(c, "now"));
    clients = c->client;
    rostering_config *config = read_config(c, error);
    c->client->handle = rostering_client_open(config, error);
    rostering_config_free(config);
    return NULL;
}

static json_t *send_request(call *c, rostering_error **error) {
    const char *key;
    json_t *value;
    rostering_request *request = rostering_request_new(text(c->request, "method"), text(c->request, "path"), error);
    json_object_foreach(get(c, "headers"), key, value)
        rostering_request_set_header(request, key, json_string_value(value), error);
    json_object_foreach(get(c, "query"), key, value)
        rostering_request_add_query(request, key, json_string_value(value), error);
    if (get(c, "body")) {
        const char *body = text(c->request, "body");
        rostering_request_set_body(request, (const uint8_t *)body, json_string_length(get(c, "body")), error);
    }
    if (get(c, "json")) {
        char *json = json_dumps(get(c, "json"), JSON_ENCODE_ANY | JSON_COMPACT);
        rostering_request_set_json(request, json, error);
        free(json);
    }
    json_t *response = of_service(rostering_send_request(c->view, request, c->timeout_ms, c->cancel, error));
    rostering_request_free(request);
    return response;
}

/* of_json is a value that the library returned as JSON. */
static json_t *of_json(const char *json) {
    return json == NULL ? NULL : json_pack("{s:o}", "json", json_loads(json, 0, NULL));
}

static json_t *get_token(call *c, rostering_error **error) {
    bool force = json_is_true(get(c, "force"));
    const char *refused = text(c->request, "refused");
    rostering_token *token = rostering_get_token(c->view, force, refused, c->timeout_ms, c->cancel, error);
    json_t *response = of_json(rostering_token_json(token));
    rostering_token_free(token);
    return response;
}

static json_t *status(call *c, rostering_error **error) {
    char *status = rostering_client_status(c->view, error);
    json_t *response = of_json(status);
    rostering_text_free(status);
    return response;
}

/* close_client also frees the client, with its threads, if no request for it follows. */
static void close_client(call *c) {
    rostering_client_close(c->view, milliseconds(get(c, "timeout"), ROSTERING_NO_TIMEOUT));
    if (!json_is_true(get(c, "forget"))) return;
    pthread_mutex_lock(&lock);
    while (c->client->calls > 1) pthread_cond_wait(&ended, &lock);
    pthread_mutex_unlock(&lock);
    rostering_client_free(c->client->handle);
    c->client->handle = c->view = NULL;
}

static void cancel(call *c) {
    pthread_mutex_lock(&lock);
    for (call *r = running; r != NULL; r = r->next)
        if (json_equal(get(r, "id"), get(c, "target"))) rostering_cancel_calls(r->cancel);
    pthread_mutex_unlock(&lock);
}

static bool is(const call *c, const char *op) {
    return strcmp(text(c->request, "op"), op) == 0;
}

/* perform returns what a call has, and looks at no error: the library does nothing if it is set. */
static json_t *perform(call *c, rostering_error **error) {
    if (is(c, "open")) return open_client(c, error);
    if (is(c, "list_jobs")) return of_service(rostering_list_jobs(c->view, c->timeout_ms, c->cancel, error));
    if (is(c, "send_request")) return send_request(c, error);
    if (is(c, "get_token")) return get_token(c, error);
    if (is(c, "status")) return status(c, error);
    if (is(c, "set_token")) {
        char *token = json_dumps(get(c, "token"), 0);
        rostering_set_token(c->view, token, error);
        free(token);
    } else if (is(c, "set_secret")) {
        rostering_set_secret(c->view, text(c->request, "secret"), error);
    } else if (is(c, "clear_token")) {
        rostering_clear_token(c->view, error);
    } else if (is(c, "close")) {
        close_client(c);
    } else if (is(c, "cancel")) {
        cancel(c);
    } else {
        return json_pack("{s:s}", "text", "C has no such operation");
    }
    return NULL;
}

/* Not in the header: for these tests alone. */
extern uint64_t _rostering_plugin_calls(const rostering_client *client);

/* change replaces the view of a call, or frees it. */
static void change(call *c, rostering_client *view) {
    if (c->view != c->client->handle) rostering_client_free(c->view);
    c->view = view;
}

/* make_view makes a view of what is not an argument of the call. */
static void make_view(call *c, rostering_error **error) {
    static const char *const ids[] = {"customer_id", "user_id"};
    const char *name;
    json_t *value;
    if (is(c, "open")) return;
    c->view = c->client->handle;
    for (size_t i = 0; i < 2; i++)
        if (get(c, ids[i])) change(c, rostering_client_view(c->view, ids[i], text(c->request, ids[i]), error));
    if (!is(c, "list_jobs")) return;
    json_object_foreach(get(c, "headers"), name, value)
        change(c, rostering_client_with_header(c->view, name, json_string_value(value), error));
}

/* again waits for the next attempt after an error with the given code, or if none is given, after a retryable one. */
static bool again(call *c, rostering_retries *retries, rostering_error **error) {
    const char *code = text(get(c, "retry"), "code");
    if (code == NULL || *error == NULL) return rostering_retry(retries, c->cancel, error);
    bool wanted = strcmp(code, rostering_error_field(*error, "code")) == 0;
    return rostering_retry_if(retries, wanted, c->cancel, error);
}

static void *run(void *argument) {
    call *c = argument;
    rostering_error *error = NULL;
    json_t *response, *retry = get(c, "retry");
    int64_t deadline = milliseconds(json_object_get(retry, "deadline"), 0);
    rostering_retries *retries = retry != NULL ? rostering_retries_new(deadline) : NULL;
    make_view(c, &error);
    if (!is(c, "open")) sem_post(&begun);
    do response = perform(c, &error);
    while (again(c, retries, &error));
    if (is(c, "open")) sem_post(&begun);
    rostering_retries_free(retries);
    change(c, c->client->handle);
    if (response == NULL) response = error != NULL ? of_error(error) : json_object();
    json_object_set(response, "id", get(c, "id"));
    json_object_set_new(response, "plugin_calls", json_integer(_rostering_plugin_calls(c->client->handle)));
    put(response);
    pthread_mutex_lock(&lock);
    call **at = &running;
    while (*at != c) at = &(*at)->next;
    *at = c->next;
    c->client->calls--;
    pthread_cond_broadcast(&ended);
    pthread_mutex_unlock(&lock);
    rostering_cancel_free(c->cancel);
    json_decref(c->request);
    free(c);
    return NULL;
}

/* start starts a thread for a request. */
static void start(json_t *request) {
    const char *name = text(request, "client");
    call *c = calloc(1, sizeof *c);
    *c = (call){.request = request, .client = clients, .cancel = rostering_cancel_new()};
    c->timeout_ms = milliseconds(get(c, "timeout"), ROSTERING_CLIENT_TIMEOUT);
    while (c->client != &nobody && (name == NULL || strcmp(c->client->name, name) != 0)) c->client = c->client->next;
    if (get(c, "now")) c->client->now = json_integer_value(get(c, "now"));
    pthread_mutex_lock(&lock);
    c->next = running;
    running = c;
    c->client->calls++;
    pthread_mutex_unlock(&lock);
    pthread_t thread;
    pthread_create(&thread, NULL, run, c);
    pthread_detach(thread);
    sem_wait(&begun);
}

int main(void) {
    char *line = NULL;
    size_t size = 0;
    sem_init(&begun, 0, 0);
    hcreate(1000);
    while (getline(&line, &size, stdin) > 0) start(json_loads(line, JSON_ALLOW_NUL, NULL));
    free(line);
    pthread_mutex_lock(&lock);
    for (call *c = running; c != NULL; c = c->next) rostering_cancel_calls(c->cancel);
    while (running != NULL) pthread_cond_wait(&ended, &lock);
    pthread_mutex_unlock(&lock);
    for (client *c = clients; c != NULL; c = c->next) rostering_client_free(c->handle);
    return EXIT_SUCCESS;
}
