#include "http.h"

#include <curl/curl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* In bytes. What the plugin reads of an error's body is one less, so that it can tell that there is more. */
enum { ERROR_LIMIT = (64 << 10) + 1, DEFAULT_MAX_BODY = 64 << 20 };
enum { KEPT = 16, POLL_MS = 60000 };

/* One request at a time. multi has the connections; unlike easy alone, it can wait for a pipe as well. */
typedef struct handle {
    CURL *easy;
    CURLM *multi;
} handle;

struct rostering_http {
    pthread_mutex_t lock;
    handle kept[KEPT]; /* the idle ones */
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
    if (options->max_body == 0) http->options.max_body = DEFAULT_MAX_BODY;
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
    return h.easy != NULL ? h : (handle){curl_easy_init(), curl_multi_init()};
}

static void keep_handle(rostering_http *http, handle h) {
    curl_easy_reset(h.easy);
    pthread_mutex_lock(&http->lock);
    bool room = http->n_kept < KEPT;
    if (room) http->kept[http->n_kept++] = h;
    pthread_mutex_unlock(&http->lock);
    if (!room) free_handle(h);
}

typedef struct transfer {
    CURL *curl;
    rostering_body *body; /* NULL: none */
    size_t sent;          /* bytes of it */
    rostering_response received;
    FILE *file; /* the body of received */
    size_t length, max_body;
    size_t limit; /* the step's; 0: none */
    bool begun, cut;
    const char *reason; /* of ours */
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
    if (whole && size * n > room) t->reason = "the answer is too long";
    t->cut = !whole && taken == room;
    t->length += taken;
    return fwrite(data, 1, taken, t->file) < taken || t->cut ? 0 : taken;
}

static const char closed[] = "the connection was closed before an answer came";

/*
 * Where a kept connection breaks before an answer came, libcurl would send the request again, whatever its method. But
 * the server may have acted on it, so that is for the caller to decide.
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

/* set_headers sets those of the request, without the ones that libcurl would add for a body. */
static bool set_headers(transfer *t, json_t *headers, struct curl_slist **lines) {
    bool added = add_line(lines, "Expect:");
    const char *name;
    json_t *value;
    json_object_foreach(headers, name, value) {
        char *line = NULL;
        const char *format = json_string_length(value) > 0 ? "%s: %s" : "%s;"; /* "name:" would take a header away */
        added = added && asprintf(&line, format, name, json_string_value(value)) > 0 && add_line(lines, line);
        free(line);
    }
    curl_easy_setopt(t->curl, CURLOPT_HTTPHEADER, *lines);
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

/* set_options reports whether the request can be sent. */
static bool set_options(transfer *t, const json_t *request, int time_left, struct curl_slist **lines) {
    curl_easy_setopt(t->curl, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(t->curl, CURLOPT_FOLLOWLOCATION, 0L); /* a redirect could take the secret to another host */
    curl_easy_setopt(t->curl, CURLOPT_TIMEOUT_MS, time_left < 0 ? 0L : (long)time_left);
    curl_easy_setopt(t->curl, CURLOPT_NOSIGNAL, 1L); /* for threads */
    curl_easy_setopt(t->curl, CURLOPT_ERRORBUFFER, t->curls_reason);
    curl_easy_setopt(t->curl, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(t->curl, CURLOPT_WRITEDATA, t);
    curl_easy_setopt(t->curl, CURLOPT_PREREQFUNCTION, send_once);
    curl_easy_setopt(t->curl, CURLOPT_PREREQDATA, t);
    set_method(t, json_string_value(json_object_get(request, "method")));
    return t->file != NULL && set_headers(t, json_object_get(request, "headers"), lines) &&
           curl_easy_setopt(t->curl, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
           curl_easy_setopt(t->curl, CURLOPT_URL, json_string_value(json_object_get(request, "url"))) == CURLE_OK;
}

/* perform waits until the request is answered, or canceled. */
static CURLcode perform(handle h, const rostering_cancel *cancel) {
    struct curl_waitfd canceled = {.fd = cancel != NULL ? cancel->ends[0] : -1, .events = CURL_WAIT_POLLIN};
    int running = 1, left;
    CURLMcode code = curl_multi_add_handle(h.multi, h.easy);
    while (code == CURLM_OK) {
        code = curl_multi_perform(h.multi, &running);
        if (code != CURLM_OK || running == 0 || rostering_is_canceled(cancel)) break;
        code = curl_multi_poll(h.multi, &canceled, cancel != NULL ? 1 : 0, POLL_MS, NULL);
    }
    const CURLMsg *message = curl_multi_info_read(h.multi, &left);
    CURLcode result = message != NULL ? message->data.result : CURLE_ABORTED_BY_CALLBACK;
    curl_multi_remove_handle(h.multi, h.easy);
    return result;
}

/* copy_headers makes one block of the list and its texts. */
static bool copy_headers(CURL *curl, rostering_response *response) {
    struct curl_header *h = NULL;
    size_t n = 1, size = 0;
    for (; (h = curl_easy_nextheader(curl, CURLH_HEADER, -1, h)) != NULL; n++) {
        size += strlen(h->name) + strlen(h->value) + 2;
    }
    rostering_header *to = response->headers = malloc(n * sizeof *to + size);
    if (to == NULL) return false;
    char *text = (char *)(to + n);
    for (; (h = curl_easy_nextheader(curl, CURLH_HEADER, -1, h)) != NULL; to++) {
        to->name = text;
        to->value = text = stpcpy(text, h->name) + 1;
        text = stpcpy(text, h->value) + 1;
    }
    *to = (rostering_header){0};
    return true;
}

static void finish(transfer *t, CURLcode code, const rostering_limits *limits, rostering_answer *answer) {
    long status = 0;
    curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &status);
    if ((code == CURLE_OK || t->cut) && copy_headers(t->curl, &t->received)) {
        t->received.status = (int)status;
        answer->response = t->received;
        return;
    }
    rostering_response_free(&t->received);
    if (t->reason == NULL) t->reason = *t->curls_reason != '\0' ? t->curls_reason : curl_easy_strerror(code);
    if (code == CURLE_SEND_FAIL_REWIND) t->reason = closed;
    snprintf(answer->failed, sizeof answer->failed, "libcurl %d: %s", (int)code, t->reason);
    if (rostering_is_canceled(limits->cancel)) {
        answer->end = ROSTERING_END_CANCELED;
    } else if (rostering_time_left(limits->deadline) == 0) {
        answer->end = ROSTERING_END_TIMED_OUT;
    }
}

void rostering_http_send(rostering_http *http, const json_t *step, rostering_body *body, const rostering_limits *limits,
    rostering_answer *answer) {
    int left = rostering_time_left(limits->deadline);
    handle h = left != 0 ? take_handle(http) : (handle){0};
    if (h.easy == NULL || h.multi == NULL) {
        free_handle(h);
        *answer = (rostering_answer){
            .failed = "libcurl is out of memory", .end = left != 0 ? ROSTERING_END_READY : ROSTERING_END_TIMED_OUT};
        return;
    }
    *answer = (rostering_answer){0};
    const json_t *request = json_object_get(step, "request"), *text = json_object_get(request, "body");
    rostering_body own = {.data = json_string_value(text), .length = json_string_length(text)};
    transfer t = {.curl = h.easy, .max_body = http->options.max_body};
    t.limit = (size_t)json_integer_value(json_object_get(step, "limit"));
    t.file = open_memstream(&t.received.body, &t.received.body_length);
    t.body = json_is_true(text) ? body : text != NULL ? &own : NULL;
    struct curl_slist *lines = NULL;
    if (http->options.prepare_curl != NULL) http->options.prepare_curl(h.easy, http->options.curl_context);
    CURLcode code = set_options(&t, request, left, &lines) ? perform(h, limits->cancel) : CURLE_OUT_OF_MEMORY;
    if (t.file == NULL || fclose(t.file) != 0) code = CURLE_OUT_OF_MEMORY;
    finish(&t, code, limits, answer);
    keep_handle(http, h);
    curl_slist_free_all(lines);
}
