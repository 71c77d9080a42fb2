/* Drives the library for the suite: see ../README.md. Each call has a thread. */
#include <limits.h>
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
    atomic_bool closed;
} client;

typedef struct call {
    struct call *next;
    json_t *request;
    client *client;
    rostering_client *view;
    rostering_cancel *cancel;
    int64_t timeout_ms;
    /* The library does nothing if the error is set: so this looks at none, and returns what it has. */
    json_t *(*operation)(struct call *c, rostering_error **error);
} call;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of running and standard output */
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;
static sem_t begun; /* posted by a thread that begins its call, for which the next request waits */
static client *clients;
static call *running;

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

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"; /* of base64 */

static json_t *encode(const char *bytes, size_t length) {
    char *encoded = malloc(length / 3 * 4 + 5), *to = encoded;
    for (size_t i = 0; i < length; i += 3) {
        unsigned three = 0;
        for (size_t j = i; j < i + 3; j++) three = three << 8 | (j < length ? (unsigned char)bytes[j] : 0);
        for (size_t j = 0; j < 4; j++) *to++ = i + j > length ? '=' : digits[three >> (18 - 6 * j) & 63];
    }
    *to = '\0';
    json_t *string = json_string(encoded);
    free(encoded);
    return string;
}

/* decode returns bytes to free, and their length. */
static unsigned char *decode(const char *encoded, size_t *length) {
    unsigned char *bytes = malloc(strlen(encoded) + 1);
    unsigned bits = 0, count = 0;
    *length = 0;
    for (; *encoded != '\0' && *encoded != '='; encoded++) {
        bits = bits << 6 | (unsigned)(strchr(digits, *encoded) - digits);
        count += 6;
        if (count < 8) continue;
        count -= 8;
        bytes[(*length)++] = (unsigned char)(bits >> count);
    }
    return bytes;
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

/* headers returns those of a response, as an object. */
static json_t *headers(const rostering_response *response) {
    json_t *all = json_object();
    const char *name, *value;
    for (size_t i = 0; (value = rostering_response_header_at(response, i, &name)) != NULL; i++) {
        json_object_set_new(all, name, json_string(value));
    }
    return all;
}

/* add adds a response of the service. */
static json_t *add(json_t *to, const rostering_response *response) {
    json_object_set_new(to, "headers", headers(response));
    json_object_set_new(to, "status", json_integer(rostering_response_status(response)));
    json_object_set_new(
        to, "body", encode(rostering_response_body(response), rostering_response_body_length(response)));
    return to;
}

/* of_error frees the error. */
static json_t *of_error(rostering_error *error) {
    const char *text = rostering_error_text(error), *json = rostering_error_json(error);
    const rostering_response *of_service = rostering_error_response(error);
    rostering_code code = rostering_error_code(error);
    json_t *all = headers(of_service);
    char *of_headers = json_dumps(all, 0);
    json_t *shown = json_sprintf("%s %s %s", text, json, of_headers);
    free(of_headers);
    json_decref(all);
    json_t *response = json_pack("{s:s, s:s, s:o, s:b, s:b}", "error", json, "text", text, "shown", shown, "closed",
        code == ROSTERING_CODE_CLOSED, "canceled", code == ROSTERING_CODE_CANCELED);
    if (of_service != NULL) add(response, of_service);
    rostering_error_free(error);
    return response;
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
    const char *name = NULL, *kind = NULL, *url = NULL, *folder = NULL;
    json_unpack(from, "{s:s, s:s, s?s, s?s}", "name", &name, "kind", &kind, "url", &url, "folder", &folder);
    ENTRY *found = hsearch((ENTRY){.key = (char *)name}, FIND);
    if (found != NULL) return found->data;
    char where[PATH_MAX] = "memory:";
    if (strcmp(kind, "folder") == 0) snprintf(where, sizeof where, "file:%s", folder);
    if (strcmp(kind, "redis") == 0) snprintf(where, sizeof where, "%s", url);
    rostering_store *made =
        strcmp(kind, "http") == 0 ? make_http_store(url, error) : rostering_store_open(where, error);
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
    rostering_config *config = variables != NULL ? rostering_config_from_env(error) : rostering_config_new();
    json_object_foreach(variables, key, value) unsetenv(key);
    json_object_foreach(get(c, "config"), key, value)
        rostering_config_set(config, key, json_string_value(value), error);
    json_object_foreach(get(c, "headers"), key, value)
        rostering_config_set_header(config, key, json_string_value(value), error);
    if (get(c, "wasm")) rostering_config_set(config, "plugin_file", text(c->request, "wasm"), error);
    if (get(c, "user_agent")) rostering_config_set(config, "user_agent", text(c->request, "user_agent"), error);
    if (get(c, "max_body")) set_number(config, "max_body", json_integer_value(get(c, "max_body")), error);
    if (get(c, "store")) rostering_config_set_store(config, find_store(get(c, "store"), error));
    if (json_is_true(get(c, "clock"))) rostering_config_set_clock(config, show_clock, c->client);
    if (get(c, "timeout")) set_number(config, "timeout_ms", c->timeout_ms, error);
    rostering_config_set_log(config, log_line, c->client);
    return config;
}

/* free_closed frees clients that are closed, with their threads, but not the last of them, whose calls are errors. */
static void free_closed(const char *opened) {
    int newer = 0;
    for (client *of = clients; of != NULL; of = of->next) {
        bool used = !of->closed || (strcmp(of->name, opened) != 0 && ++newer <= 4);
        pthread_mutex_lock(&lock);
        for (call *r = running; r != NULL; r = r->next) used |= r->client == of;
        pthread_mutex_unlock(&lock);
        if (used) continue;
        rostering_client_free(of->handle);
        of->handle = NULL;
    }
}

static json_t *open_client(call *c, rostering_error **error) {
    free_closed(text(c->request, "client"));
    c->client = calloc(1, sizeof *c->client);
    *c->client = (client){.next = clients, .name = strdup(text(c->request, "client"))};
    clients = c->client;
    rostering_config *config = read_config(c, error);
    c->client->handle = rostering_client_open(config, error);
    rostering_config_free(config);
    return NULL;
}

static json_t *list_jobs(call *c, rostering_error **error) {
    rostering_client *view = c->view;
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(get(c, "request"), "headers"), name, value) {
        rostering_client *of = view;
        view = rostering_client_with_header(of, name, json_string_value(value), error);
        if (of != c->view) rostering_client_free(of);
    }
    json_t *response = of_service(rostering_list_jobs(view, c->timeout_ms, c->cancel, error));
    if (view != c->view) rostering_client_free(view);
    return response;
}

static json_t *send_request(call *c, rostering_error **error) {
    json_t *from = get(c, "request"), *json = json_object_get(from, "json"), *value;
    const char *key, *encoded = text(from, "body");
    rostering_request *request = rostering_request_new(text(from, "method"), text(from, "path"), error);
    json_object_foreach(json_object_get(from, "headers"), key, value) {
        rostering_request_set_header(request, key, json_string_value(value), error);
    }
    json_object_foreach(json_object_get(from, "query"), key, value) {
        rostering_request_add_query(request, key, json_string_value(value), error);
    }
    size_t length = 0;
    unsigned char *body = encoded != NULL ? decode(encoded, &length) : NULL;
    if (body != NULL) {
        rostering_request_set_body(request, body, length, error);
    } else if (json != NULL) {
        char *dumped = json_dumps(json, JSON_ENCODE_ANY | JSON_COMPACT);
        rostering_request_set_json(request, dumped, error);
        free(dumped);
    }
    json_t *response = of_service(rostering_send_request(c->view, request, c->timeout_ms, c->cancel, error));
    rostering_request_free(request);
    free(body);
    return response;
}

static json_t *get_token(call *c, rostering_error **error) {
    bool force = json_is_true(get(c, "force"));
    const char *refused = text(c->request, "refused");
    rostering_token *token = rostering_get_token(c->view, force, refused, c->timeout_ms, c->cancel, error);
    if (token == NULL) return NULL;
    json_t *response = json_pack("{s:o}", "token", json_loads(rostering_token_json(token), 0, NULL));
    rostering_token_free(token);
    return response;
}

static json_t *set_token(call *c, rostering_error **error) {
    char *token = json_dumps(get(c, "token"), 0);
    rostering_set_token(c->view, token, error);
    free(token);
    return NULL;
}

static json_t *set_secret(call *c, rostering_error **error) {
    rostering_set_secret(c->view, text(c->request, "secret"), error);
    return NULL;
}

static json_t *status(call *c, rostering_error **error) {
    char *status = rostering_client_status(c->view, error);
    if (status == NULL) return NULL;
    json_t *response = json_pack("{s:o}", "known", json_loads(status, 0, NULL));
    rostering_text_free(status);
    return response;
}

static json_t *clear_token(call *c, rostering_error **error) {
    return rostering_clear_token(c->view, error) ? json_object() : NULL;
}

static json_t *close_client(call *c, rostering_error **error) {
    rostering_client_close(c->view, milliseconds(get(c, "timeout"), ROSTERING_NO_TIMEOUT));
    c->client->closed |= c->view == c->client->handle;
    return NULL;
}

static json_t *cancel(call *c, rostering_error **error) {
    pthread_mutex_lock(&lock);
    for (call *r = running; r != NULL; r = r->next) {
        if (json_equal(get(r, "id"), get(c, "target"))) rostering_cancel_calls(r->cancel);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static json_t *versions(call *c, rostering_error **error) {
    const char *all = "gcc " __VERSION__ ", wasmi " WASMI ", rostering";
    return json_pack("{s:o}", "versions", json_sprintf("%s %s", all, rostering_version()));
}

/* finish responds, and frees the call. */
static void finish(call *c, json_t *response, rostering_error *error) {
    if (response == NULL) response = error != NULL ? of_error(error) : json_object();
    json_object_set(response, "id", get(c, "id"));
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

/* make_view makes a view if the call is for one. */
static void make_view(call *c, rostering_error **error) {
    rostering_client *own = c->client->handle, *first = own;
    if (get(c, "customer_id"))
        first = rostering_client_view(own, "customer_id", text(c->request, "customer_id"), error);
    c->view = first;
    if (get(c, "user_id")) c->view = rostering_client_view(first, "user_id", text(c->request, "user_id"), error);
    if (first != own && first != c->view) rostering_client_free(first);
}

/* again waits for the next attempt, if the error has one of the codes, or is retryable if there are none. */
static bool again(
    const json_t *codes, rostering_retries *retries, const rostering_cancel *cancel, rostering_error **error) {
    if (codes == NULL || *error == NULL) return rostering_retry(retries, cancel, error);
    const char *code = rostering_error_field(*error, "code");
    size_t i = 0;
    while (i < json_array_size(codes) && strcmp(json_string_value(json_array_get(codes, i)), code) != 0) i++;
    return rostering_retry_if(retries, i < json_array_size(codes), cancel, error);
}

static void *run(void *argument) {
    call *c = argument;
    rostering_error *error = NULL;
    json_t *response, *retry = get(c, "retry");
    int64_t deadline = milliseconds(json_object_get(retry, "deadline"), 0);
    rostering_retries *retries = retry != NULL ? rostering_retries_new(deadline) : NULL;
    make_view(c, &error);
    sem_post(&begun);
    do response = c->operation(c, &error);
    while (again(json_object_get(retry, "codes"), retries, c->cancel, &error));
    rostering_retries_free(retries);
    if (c->view != c->client->handle) rostering_client_free(c->view);
    finish(c, response, error);
    return NULL;
}

/* start makes a call on a new thread. */
static void start(call *c) {
    pthread_t thread;
    pthread_mutex_lock(&lock);
    c->next = running;
    running = c;
    pthread_mutex_unlock(&lock);
    pthread_create(&thread, NULL, run, c);
    pthread_detach(thread);
    sem_wait(&begun);
}

static void handle(json_t *request) {
    static const struct {
        const char *name;
        json_t *(*run)(call *c, rostering_error **error);
        bool is_call;
    } operations[] = {{"versions", versions, false}, {"open", open_client, false}, {"cancel", cancel, false},
        {"list_jobs", list_jobs, true}, {"send_request", send_request, true}, {"get_token", get_token, true},
        {"set_token", set_token, true}, {"set_secret", set_secret, true}, {"status", status, true},
        {"clear_token", clear_token, true}, {"close", close_client, true}};
    size_t i = 0, end = sizeof operations / sizeof *operations;
    while (i < end && strcmp(operations[i].name, text(request, "op")) != 0) i++;
    const char *name = text(request, "client");
    call *c = calloc(1, sizeof *c);
    *c = (call){.request = request, .client = clients};
    c->timeout_ms = milliseconds(get(c, "timeout"), ROSTERING_CLIENT_TIMEOUT);
    while (c->client != NULL && name != NULL && strcmp(c->client->name, name) != 0) c->client = c->client->next;
    if (c->client != NULL && get(c, "now")) c->client->now = json_integer_value(get(c, "now"));
    const char *trap = NULL;
    rostering_error *error = NULL;
    if (i == end || (operations[i].is_call && c->client == NULL)) trap = "no operation, or no client, of that name";
    if (get(c, "log")) trap = "a function of C cannot throw";
    if (json_number_value(get(c, "timeout")) < 0) trap = "a negative timeout means none";
    if (trap == NULL && operations[i].is_call) c->cancel = rostering_cancel_new();
    if (trap == NULL) c->operation = operations[i].run;
    json_t *response = trap != NULL ? json_pack("{s:s}", "trap", trap) : NULL;
    if (c->cancel != NULL) {
        start(c);
    } else {
        if (trap == NULL) response = c->operation(c, &error);
        finish(c, response, error);
    }
}

int main(void) {
    char *line = NULL;
    size_t size = 0;
    sem_init(&begun, 0, 0);
    hcreate(1000);
    while (getline(&line, &size, stdin) > 0) handle(json_loads(line, 0, NULL));
    free(line);
    pthread_mutex_lock(&lock);
    for (call *c = running; c != NULL; c = c->next) rostering_cancel_calls(c->cancel);
    while (running != NULL) pthread_cond_wait(&ended, &lock);
    pthread_mutex_unlock(&lock);
    for (client *c = clients; c != NULL; c = c->next) rostering_client_free(c->handle);
    return EXIT_SUCCESS;
}
