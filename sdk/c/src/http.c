#include "http.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* In bytes. One more than the plugin takes of an error's body, so that it sees that there is more. */
enum { ERROR_LIMIT = (64 << 10) + 1 };
enum { KEPT = 256, POLL_MS = 60000 };
enum { IDLE_MS = 118000 }; /* after which libcurl does not reuse a connection */

/* One request at a time. multi has the connections; unlike easy alone, it can also wait for a pipe. */
typedef struct handle {
    CURL *easy;
    CURLM *multi;
    struct curl_slist *lines; /* the request's headers; NULL while idle */
    int64_t idle_since;
} handle;

struct rostering_http {
    pthread_mutex_t lock;
    handle kept[KEPT]; /* idle ones, the last used one at the end */
    size_t n_kept;
    rostering_options options;
};

static CURLcode initialized;

static void initialize(void) {
    initialized = curl_global_init(CURL_GLOBAL_DEFAULT);
}

rostering_http *rostering_http_new(const rostering_options *options) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, initialize);
    rostering_http *http = initialized == CURLE_OK ? calloc(1, sizeof *http) : NULL;
    if (http == NULL) return NULL;
    pthread_mutex_init(&http->lock, NULL);
    http->options = *options;
    return http;
}

static void free_handle(handle h) {
    curl_easy_cleanup(h.easy);
    curl_multi_cleanup(h.multi);
}

void rostering_http_free(rostering_http *http) {
    if (http == NULL) return;
    while (http->n_kept > 0) free_handle(http->kept[--http->n_kept]);
    pthread_mutex_destroy(&http->lock);
    free(http);
}

static handle take_handle(rostering_http *http) {
    handle h = {0};
    pthread_mutex_lock(&http->lock);
    if (http->n_kept > 0) h = http->kept[--http->n_kept];
    pthread_mutex_unlock(&http->lock);
    return h.easy != NULL ? h : (handle){.easy = curl_easy_init(), .multi = curl_multi_init()};
}

/* keep_handle keeps the handle for the next request, without what is left of this one: no idle handle has a token. It
 * frees another handle if that is idle for too long, or if there are too many. */
static void keep_handle(rostering_http *http, handle h) {
    handle old = {0};
    curl_easy_reset(h.easy);
    curl_slist_free_all(h.lines);
    h.lines = NULL;
    h.idle_since = rostering_now_ms();
    pthread_mutex_lock(&http->lock);
    if (http->n_kept == KEPT || (http->n_kept > 0 && h.idle_since - http->kept[0].idle_since > IDLE_MS)) {
        old = http->kept[0];
        memmove(http->kept, http->kept + 1, --http->n_kept * sizeof h);
    }
    http->kept[http->n_kept++] = h;
    pthread_mutex_unlock(&http->lock);
    if (old.easy != NULL) free_handle(old);
}

typedef struct transfer {
    CURL *curl;
    const rostering_body *body; /* NULL: none */
    size_t sent;                /* bytes of it */
    FILE *file;
    char *received; /* the content of file, once that is closed */
    size_t received_length;
    size_t length; /* of what has been written so far */
    size_t max_body;
    size_t limit; /* the step's; 0: none */
    bool begun;
    bool cut;
    bool too_long;
    const char *reason; /* our own */
    char curls_reason[CURL_ERROR_SIZE];
} transfer;

static size_t send_body(char *buffer, size_t size, size_t n, void *context) {
    transfer *t = context;
    size_t room = size * n, left = t->body != NULL ? t->body->length - t->sent : 0;
    if (t->body != NULL && t->body->read != NULL) {
        n = t->body->read(t->body->context, buffer, room);
        if (n > room) t->reason = "the request's body cannot be read";
        return n > room ? CURL_READFUNC_ABORT : n;
    }
    n = left < room ? left : room;
    if (n > 0) memcpy(buffer, (const char *)t->body->data + t->sent, n);
    t->sent += n;
    return n;
}

/* receive returns 0, which ends the transfer, once it has enough. */
static size_t receive(char *data, size_t size, size_t n, void *context) {
    transfer *t = context;
    long status = 0;
    curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &status);
    bool whole = t->limit == 0 && rostering_is_success((int)status);
    size_t limit = whole ? t->max_body : t->limit > 0 ? t->limit : ERROR_LIMIT;
    size_t room = limit - t->length, taken = size * n < room ? size * n : room;
    t->too_long = whole && size * n > room;
    t->cut = !whole && taken == room;
    t->length += taken;
    return fwrite(data, 1, taken, t->file) < taken || t->cut ? 0 : taken;
}

static const char closed[] = "the connection was closed before a response arrived";

/*
 * If a reused connection breaks before a response arrives, libcurl would send the request again, whatever its method.
 * But the server may have acted on it, so the caller has to decide.
 */
static int send_once(void *context, char *ip, char *own_ip, int port, int own_port) {
    (void)ip, (void)own_ip, (void)port, (void)own_port;
    transfer *t = context;
    if (t->begun) t->reason = closed;
    t->begun = true;
    return t->reason == closed ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

static bool add_line(struct curl_slist **lines, const char *line) {
    struct curl_slist *more = curl_slist_append(*lines, line);
    if (more != NULL) *lines = more;
    return more != NULL;
}

/* set_headers sets those of the request, without Expect, which libcurl would add for a body. */
static bool set_headers(handle *h, json_t *headers) {
    bool added = add_line(&h->lines, "Expect:");
    const char *name;
    json_t *value;
    json_object_foreach(headers, name, value) {
        char *line = NULL;
        const char *format = json_string_length(value) > 0 ? "%s: %s" : "%s;"; /* "name:" would remove a header */
        added = added && asprintf(&line, format, name, json_string_value(value)) > 0 && add_line(&h->lines, line);
        free(line);
    }
    curl_easy_setopt(h->easy, CURLOPT_HTTPHEADER, h->lines);
    return added;
}

static void set_method(transfer *t, const char *method) {
    static const char with_length[] = "POST PUT PATCH"; /* even without a body: RFC 9110, 8.6 */
    if (strcmp(method, "HEAD") == 0) {
        curl_easy_setopt(t->curl, CURLOPT_NOBODY, 1L);
        return;
    }
    if (t->body != NULL || strstr(with_length, method) != NULL) {
        bool unknown = t->body != NULL && t->body->read != NULL && t->body->length == 0;
        curl_easy_setopt(t->curl, CURLOPT_UPLOAD, 1L);
        curl_easy_setopt(t->curl, CURLOPT_INFILESIZE_LARGE, unknown ? -1 : t->body ? (curl_off_t)t->body->length : 0);
        curl_easy_setopt(t->curl, CURLOPT_READFUNCTION, send_body);
        curl_easy_setopt(t->curl, CURLOPT_READDATA, t);
    }
    curl_easy_setopt(t->curl, CURLOPT_CUSTOMREQUEST, method);
}

/* is_loopback reports whether the URL's host is this machine, by the plugin's rule: no proxy can reach that. */
static bool is_loopback(const char *url) {
    const char *colon = strstr(url, "://"), *host = colon != NULL ? colon + 3 : "";
    size_t length = *host == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":/?");
    char name[32] = "";
    struct in_addr address = {0};
    if (length < sizeof name) memcpy(name, host, length);
    return strcasecmp(name, "localhost") == 0 || strcmp(name, "[::1]") == 0 ||
           (inet_pton(AF_INET, name, &address) == 1 && ntohl(address.s_addr) >> 24 == 127);
}

/* set reports whether the request can be sent. What prepare_curl must not change comes after it. */
static bool set(
    handle *h, const json_t *request, const rostering_http *http, transfer *t, const rostering_limits *limits) {
    const char *url = json_string_value(json_object_get(request, "url"));
    int left = rostering_time_left(limits->deadline);
    if (t->file == NULL) return false;
    curl_easy_setopt(h->easy, CURLOPT_USERAGENT, "automatic-rostering/" ROSTERING_VERSION " (c)");
    if (is_loopback(url)) curl_easy_setopt(h->easy, CURLOPT_PROXY, ""); /* none, even if the environment has one */
    if (http->options.prepare_curl != NULL) http->options.prepare_curl(h->easy, http->options.curl_context);
    curl_easy_setopt(h->easy, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(h->easy, CURLOPT_FOLLOWLOCATION, 0L); /* a redirect could forward the secret to another host */
    curl_easy_setopt(h->easy, CURLOPT_NOSIGNAL, 1L);       /* for threads */
    curl_easy_setopt(h->easy, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(h->easy, CURLOPT_WRITEDATA, t);
    curl_easy_setopt(h->easy, CURLOPT_PREREQFUNCTION, send_once);
    curl_easy_setopt(h->easy, CURLOPT_PREREQDATA, t);
    curl_easy_setopt(h->easy, CURLOPT_ERRORBUFFER, t->curls_reason);
    curl_easy_setopt(h->easy, CURLOPT_TIMEOUT_MS, left < 0 ? 0L : left == 0 ? 1L : (long)left);
    set_method(t, json_string_value(json_object_get(request, "method")));
    return set_headers(h, json_object_get(request, "headers")) &&
           curl_easy_setopt(h->easy, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
           curl_easy_setopt(h->easy, CURLOPT_URL, url) == CURLE_OK;
}

/* perform waits until the request has its response, or is canceled. */
static CURLcode perform(handle h, const rostering_limits *limits) {
    const rostering_cancel *const awaited[] = {limits->cancel, limits->closing};
    struct curl_waitfd canceled[2];
    unsigned n = 0;
    for (int i = 0; i < 2; i++) {
        if (awaited[i] == NULL) continue;
        canceled[n++] = (struct curl_waitfd){.fd = awaited[i]->ends[0], .events = CURL_WAIT_POLLIN};
    }
    int running = 1, left;
    CURLMcode code = curl_multi_add_handle(h.multi, h.easy);
    while (code == CURLM_OK) {
        code = curl_multi_perform(h.multi, &running);
        if (code != CURLM_OK || running == 0) break;
        if (rostering_is_canceled(limits->cancel) || rostering_is_canceled(limits->closing)) break;
        code = curl_multi_poll(h.multi, canceled, n, POLL_MS, NULL);
    }
    const CURLMsg *message = curl_multi_info_read(h.multi, &left);
    CURLcode result = message != NULL ? message->data.result : CURLE_ABORTED_BY_CALLBACK;
    curl_multi_remove_handle(h.multi, h.easy);
    return result;
}

/* copy_headers returns one block of the list and its strings, or NULL if memory ran out. */
static const rostering_pair *copy_headers(CURL *curl) {
    struct curl_header *h = NULL;
    size_t n = 1, size = 0;
    for (; (h = curl_easy_nextheader(curl, CURLH_HEADER, -1, h)) != NULL; n++) {
        size += strlen(h->name) + strlen(h->value) + 2;
    }
    rostering_pair *all = malloc(n * sizeof *all + size), *to = all;
    if (all == NULL) return NULL;
    char *text = (char *)(all + n);
    for (; (h = curl_easy_nextheader(curl, CURLH_HEADER, -1, h)) != NULL; to++) {
        to->name = text;
        to->value = text = stpcpy(text, h->name) + 1;
        text = stpcpy(text, h->value) + 1;
    }
    *to = (rostering_pair){0};
    return all;
}

static void finish(transfer *t, CURLcode code, const rostering_limits *limits, rostering_outcome *outcome) {
    long status = 0;
    curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &status);
    const rostering_pair *headers = code == CURLE_OK || t->cut ? copy_headers(t->curl) : NULL;
    if (headers != NULL) {
        outcome->response = (rostering_response){(int)status, headers, t->received, t->received_length};
        return;
    }
    free(t->received);
    if (t->reason == NULL) t->reason = *t->curls_reason != '\0' ? t->curls_reason : curl_easy_strerror(code);
    if (code == CURLE_SEND_FAIL_REWIND) t->reason = closed;
    outcome->curl_code = (int)code;
    outcome->too_long = t->too_long;
    outcome->end = t->too_long ? ROSTERING_END_READY : rostering_ended(limits);
    snprintf(outcome->failed, sizeof outcome->failed, "libcurl %d: %s", (int)code, t->reason);
}

void rostering_http_send(rostering_http *http, const json_t *step, const rostering_body *body,
    const rostering_limits *limits, rostering_outcome *outcome) {
    *outcome = (rostering_outcome){.end = rostering_ended(limits), .failed = "libcurl is out of memory"};
    if (outcome->end != ROSTERING_END_READY) return;
    handle h = take_handle(http);
    if (h.easy == NULL || h.multi == NULL) {
        free_handle(h);
        return;
    }
    const json_t *request = json_object_get(step, "request"), *text = json_object_get(request, "body");
    const rostering_body own = {.data = json_string_value(text), .length = json_string_length(text)};
    transfer t = {.curl = h.easy, .max_body = http->options.max_body};
    t.limit = (size_t)json_integer_value(json_object_get(step, "limit"));
    t.file = open_memstream(&t.received, &t.received_length);
    t.body = json_is_true(text) ? body : text != NULL ? &own : NULL;
    CURLcode code = set(&h, request, http, &t, limits) ? perform(h, limits) : CURLE_OUT_OF_MEMORY;
    if (t.file == NULL || fclose(t.file) != 0) code = CURLE_OUT_OF_MEMORY;
    finish(&t, code, limits, outcome);
    keep_handle(http, h);
}

void rostering_response_clear(rostering_response *response) {
    free((void *)response->headers); /* with their strings */
    free((void *)response->body);
    *response = (rostering_response){0};
}
