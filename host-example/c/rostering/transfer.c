#include "transfer.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "utf8.h"

/* A request under way. */
typedef struct transfer {
    CURL *curl;
    const char *method, *body;
    size_t body_length;
    struct curl_slist *headers;
    rostering_body received;
    size_t capacity;
    bool sent;
    char reason[CURL_ERROR_SIZE];
} transfer;

/* reserve makes room for length bytes and a zero byte behind them. */
static bool reserve(transfer *t, size_t length) {
    if (length < t->capacity) {
        return true;
    }
    size_t capacity = length < 2048 ? 4096 : length * 2;
    char *data = realloc(t->received.data, capacity);
    if (data == NULL) {
        return false;
    }
    t->received.data = data;
    t->capacity = capacity;
    return true;
}

static size_t receive(char *data, size_t size, size_t n, void *context) {
    transfer *t = context;
    if (!reserve(t, t->received.length + size * n)) {
        return 0; /* which ends the transfer */
    }
    memcpy(t->received.data + t->received.length, data, size * n);
    t->received.length += size * n;
    return size * n;
}

/*
 * Where a kept connection breaks before an answer came, libcurl would send the request again, whatever its method. But
 * the server may have acted on it, so that is for the caller to decide.
 */
static int send_once(void *context, char *ip, char *own_ip, int port, int own_port) {
    (void)ip, (void)own_ip, (void)port, (void)own_port;
    transfer *t = context;
    bool again = t->sent;
    t->sent = true;
    return again ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

static bool add_line(transfer *t, const char *line) {
    struct curl_slist *more = curl_slist_append(t->headers, line);
    t->headers = more != NULL ? more : t->headers;
    return more != NULL;
}

static bool add_header(transfer *t, const char *name, const char *value) {
    size_t size = strlen(name) + strlen(value) + sizeof ": ";
    char *line = malloc(size);
    if (line == NULL) {
        return false;
    }
    snprintf(line, size, *value != '\0' ? "%s: %s" : "%s;", name, value); /* without a value libcurl drops "name:" */
    bool added = add_line(t, line);
    free(line);
    return added;
}

/* set_headers sets those of the request, and none that libcurl makes up for a body. */
static CURLcode set_headers(transfer *t, json_t *headers) {
    bool has_type = false, has_expect = false, added = true;
    const char *name;
    json_t *value;
    json_object_foreach(headers, name, value) {
        has_type = has_type || strcasecmp(name, "Content-Type") == 0;
        has_expect = has_expect || strcasecmp(name, "Expect") == 0;
        added = added && add_header(t, name, json_string_value(value));
    }
    added = added && (has_type || add_line(t, "Content-Type:")) && (has_expect || add_line(t, "Expect:"));
    return added ? curl_easy_setopt(t->curl, CURLOPT_HTTPHEADER, t->headers) : CURLE_OUT_OF_MEMORY;
}

static bool is_one_of(const char *text, const char *const texts[]) {
    while (*texts != NULL && strcmp(text, *texts) != 0) {
        texts++;
    }
    return *texts != NULL;
}

static CURLcode set_method(transfer *t) {
    static const char *const with_length[] = {"POST", "PUT", "PATCH", NULL}; /* even without a body: RFC 9110, 8.6 */
    if (strcmp(t->method, "HEAD") == 0) {
        return curl_easy_setopt(t->curl, CURLOPT_NOBODY, 1L);
    }
    CURLcode code = CURLE_OK;
    if (t->body != NULL || is_one_of(t->method, with_length)) {
        code = curl_easy_setopt(t->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)t->body_length);
        code = code == CURLE_OK ? curl_easy_setopt(t->curl, CURLOPT_POSTFIELDS, t->body != NULL ? t->body : "") : code;
    }
    return code == CURLE_OK ? curl_easy_setopt(t->curl, CURLOPT_CUSTOMREQUEST, t->method) : code;
}

static CURLcode set_options(transfer *t, const char *url, int64_t timeout_ms) {
#define SET(option, value)                                                                                             \
    do {                                                                                                               \
        CURLcode code = curl_easy_setopt(t->curl, option, value);                                                      \
        if (code != CURLE_OK) {                                                                                        \
            return code;                                                                                               \
        }                                                                                                              \
    } while (0)
    SET(CURLOPT_URL, url);
    SET(CURLOPT_PATH_AS_IS, 1L);
    SET(CURLOPT_PROTOCOLS_STR, "http,https");
    SET(CURLOPT_FOLLOWLOCATION, 0L); /* a redirect could take the secret to another host */
    SET(CURLOPT_TIMEOUT_MS, (long)(timeout_ms < LONG_MAX ? timeout_ms : LONG_MAX));
    SET(CURLOPT_NOSIGNAL, 1L); /* for threads */
    SET(CURLOPT_ERRORBUFFER, t->reason);
    SET(CURLOPT_WRITEFUNCTION, receive);
    SET(CURLOPT_WRITEDATA, t);
    SET(CURLOPT_PREREQFUNCTION, send_once);
    SET(CURLOPT_PREREQDATA, t);
#undef SET
    return set_method(t);
}

static json_t *read_headers(CURL *curl) {
    json_t *headers = json_object();
    struct curl_header *h = NULL;
    while ((h = curl_easy_nextheader(curl, CURLH_HEADER, -1, h)) != NULL) {
        if (json_object_get(headers, h->name) == NULL) {
            json_object_set_new(headers, h->name, json_array());
        }
        /* A value that is no UTF-8 is none that the plugin knows. */
        json_array_append_new(json_object_get(headers, h->name), json_string(h->value));
    }
    return headers;
}

static void finish(transfer *t, CURLcode code, rostering_answer *answer) {
    long status = 0;
    if (code == CURLE_OK) {
        code = curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &status);
    }
    if (code != CURLE_OK) {
        const char *reason = *t->reason != '\0' ? t->reason : curl_easy_strerror(code);
        if (code == CURLE_ABORTED_BY_CALLBACK) {
            reason = "the connection was closed before an answer came";
        }
        char text[CURL_ERROR_SIZE + 32];
        int n = snprintf(text, sizeof text, "libcurl %d: %s", code, reason);
        answer->failed = rostering_utf8(text, (size_t)n);
        free(t->received.data);
        return;
    }
    t->received.data[t->received.length] = '\0';
    answer->status = (int)status;
    answer->headers = read_headers(t->curl);
    answer->body = t->received;
}

void rostering_transfer(CURL *curl, const json_t *request, int64_t timeout_ms, rostering_answer *answer) {
    const json_t *body = json_object_get(request, "body");
    transfer t = {
        .curl = curl,
        .method = json_string_value(json_object_get(request, "method")),
        .body = json_string_value(body),
        .body_length = json_string_length(body),
    };
    CURLcode code = reserve(&t, 0) ? CURLE_OK : CURLE_OUT_OF_MEMORY;
    if (code == CURLE_OK) {
        code = set_options(&t, json_string_value(json_object_get(request, "url")), timeout_ms);
    }
    if (code == CURLE_OK) {
        code = set_headers(&t, json_object_get(request, "headers"));
    }
    if (code == CURLE_OK) {
        code = curl_easy_perform(curl);
    }
    finish(&t, code, answer);
    curl_slist_free_all(t.headers);
}
