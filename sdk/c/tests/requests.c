/* Custom requests and their bodies. */
#include <curl/curl.h>
#include <stdatomic.h>
#include <string.h>

#include "client.h"
#include "tests.h"

/* What a body's functions read. */
typedef struct text {
    const char *text;
    size_t at;
    int rewound;
} text;

static size_t read_text(void *context, void *buffer, size_t size) {
    text *t = context;
    if (t->text == NULL) return ROSTERING_READ_FAILED;
    size_t left = strlen(t->text + t->at), n = left < size ? left : size;
    memcpy(buffer, t->text + t->at, n);
    t->at += n;
    return n;
}

static bool rewind_text(void *context) {
    text *t = context;
    t->at = 0;
    t->rewound++;
    return true;
}

static rostering_error *send_request(fixture *f, const rostering_request *request) {
    rostering_response *response;
    rostering_error *error = NULL;
    if (rostering_send_request(f->client, request, NULL, &response, &error)) {
        assert_int_equal(response->status, 201);
        rostering_response_free(response);
    }
    return error;
}

/* A PUT whose body is read, and has a length unless that is 0. */
static rostering_request put(text *t, size_t length) {
    rostering_request request = new_request("PUT", "/a");
    t->at = 0;
    request.body_length = length;
    request.read_body = read_text;
    request.body_context = t;
    return request;
}

/* Without this, the sandbox's response to the requests here is 404. */
static void accept_all(fixture *f) {
    sandbox_fault(f->sandbox, JOBS, "{s:i}", "status", 201);
}

static void a_request_is_sent_unchanged(void **state) {
    fixture *f = *state;
    rostering_request request = new_request("POST", "/other/1%2F2?a=b&c=/../%41");
    request.headers =
        (rostering_pair[]){{"X-One", "a, b"}, {"X-None", ""}, {"content-type", "text/plain"}, {NULL, NULL}};
    request.body = "\xff";
    request.body_length = 1;
    accept_all(f);
    assert_null(send_request(f, &request));
    want_sent(f, "method", "POST");
    want_sent(f, "target", "/other/1%2F2?a=b&c=/../%41");
    want_sent(f, "customer_id", f->config.customer_id);
    want_sent(f, "x-one", "a, b");
    want_sent(f, "x-none", "");
    want_sent(f, "content-type", "text/plain");
    want_sent(f, "content-length", "1");
    want_sent(f, "body", "\xef\xbf\xbd"); /* the journal holds only text */
}

static void json_body(void **state) {
    fixture *f = *state;
    rostering_request request = new_request("POST", "/a");
    request.json = "{\"a\":[1]}";
    accept_all(f);
    assert_null(send_request(f, &request));
    want_sent(f, "content-type", "application/json");
    want_sent(f, "content-length", "9");
    want_sent(f, "body", request.json);
    request.headers = (rostering_pair[]){{"CONTENT-type", "application/merge-patch+json"}, {NULL, NULL}};
    assert_null(send_request(f, &request));
    want_sent(f, "content-type", "application/merge-patch+json");
}

static void query_parameters(void **state) {
    fixture *f = *state;
    rostering_request request = new_request("GET", "/a");
    request.query =
        (rostering_pair[]){{"from", "2026-11-22T10:00+01:00"}, {"q", "a b&c=\xc3\xbc/%"}, {"q", ""}, {NULL, NULL}};
    accept_all(f);
    assert_null(send_request(f, &request));
    want_sent(f, "target", "/a?from=2026-11-22T10%3A00%2B01%3A00&q=a%20b%26c%3D%C3%BC%2F%25&q=");
    request.path = "/a?b=c";
    request.query = (rostering_pair[]){{"d", "e"}, {NULL, NULL}};
    assert_null(send_request(f, &request));
    want_sent(f, "target", "/a?b=c&d=e");
}

static void each_method_without_a_body(void **state) {
    fixture *f = *state;
    static const char *const methods[] = {NULL, "POST", "PUT", "PATCH", "DELETE", "OPTIONS"};
    accept_all(f);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        const char *method = methods[i] != NULL ? methods[i] : "GET";
        const rostering_request request = new_request(methods[i], "/a");
        assert_null(send_request(f, &request));
        want_sent(f, "method", method);
        want_sent(f, "content-type", NULL);
        want_sent(f, "content-length", *method == 'P' ? "0" : NULL);
    }
}

/* A handle that sent one of them may send any other. */
static void equal_requests_with_different_bodies(void **state) {
    fixture *f = *state;
    static const char *const bodies[] = {"first", "the second", "", "4"};
    rostering_request post = new_request("POST", "/a"), get = new_request("GET", "/a"),
                      head = new_request("HEAD", "/a");
    accept_all(f);
    for (size_t i = 0; i < 3 * 4; i++) {
        post.body = bodies[i % 4];
        post.body_length = strlen(post.body);
        assert_null(send_request(f, &post));
        want_sent(f, "body", post.body);
        assert_null(send_request(f, i % 2 == 0 ? &get : &head));
        want_sent(f, "method", i % 2 == 0 ? "GET" : "HEAD");
        want_sent(f, "content-length", NULL);
    }
}

static void many_different_requests(void **state) {
    fixture *f = *state;
    char path[16];
    accept_all(f);
    for (int i = 0; i < 300; i++) {
        snprintf(path, sizeof path, "/%d", i);
        const rostering_request request = new_request("GET", path);
        assert_null(send_request(f, &request));
    }
    assert_in_range(json_object_size(f->client->core->plugin.kept.steps), 1, 256);
}

static void invalid_value_in_a_request(void **state) {
    fixture *f = *state;
    static const rostering_pair twice[] = {{"a", "1"}, {"a", "2"}, {NULL, NULL}},
                                unnamed[] = {{"\xff", ""}, {NULL, NULL}};
    static const rostering_pair no_value[] = {{"a", NULL}, {NULL, NULL}};
    const struct {
        const char *path;
        const rostering_pair *headers;
        const rostering_pair *query;
        const char *json;
        const char *body;
        size_t body_length;
        const char *key;
    } table[] = {
        {NULL, NULL, NULL, NULL, NULL, 0, "path"},
        {"/\xff", NULL, NULL, NULL, NULL, 0, "path"},
        {"/", NULL, NULL, NULL, "a body of GET", 1, "body"},
        {"/", NULL, NULL, "a body of GET", NULL, 0, "body"},
        {"/", NULL, NULL, NULL, NULL, 1, "body"},
        {"/", NULL, NULL, "{}", "x", 1, "json"},
        {"/", twice, NULL, NULL, NULL, 0, "headers"},
        {"/", unnamed, NULL, NULL, NULL, 0, "headers"},
        {"/", no_value, NULL, NULL, NULL, 0, "headers"},
        {"/", NULL, no_value, NULL, NULL, 0, "query"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        rostering_request request = new_request("GET", table[i].path);
        request.headers = table[i].headers;
        request.query = table[i].query;
        request.json = table[i].json;
        request.body = table[i].body;
        request.body_length = table[i].body_length;
        rostering_error *error = send_request(f, &request);
        assert_false(error->retryable);
        want_error(error, ROSTERING_INVALID_INPUT, table[i].key);
    }
    rostering_request request = new_request("", "/");
    want_error(send_request(f, &request), ROSTERING_INVALID_INPUT, "method");
    request.size = 0;
    want_error(send_request(f, &request), ROSTERING_INVALID_INPUT, NULL);
    assert_int_equal(sandbox_requests(f->sandbox, AUTH), 0);
}

static void a_body_that_is_read(void **state) {
    fixture *f = *state;
    text t = {.text = "some text"};
    rostering_request request = put(&t, 9);
    accept_all(f);
    assert_null(send_request(f, &request));
    want_sent(f, "content-length", "9");
    want_sent(f, "body", "some text");
    request = put(&t, 0);
    assert_null(send_request(f, &request));
    want_sent(f, "content-length", NULL);
    want_sent(f, "body", "some text");
    t.text = NULL;
    rostering_error *error = send_request(f, &request);
    want_part(error->message, "body cannot be read");
    want_error(error, ROSTERING_NETWORK_ERROR, NULL);
}

static void a_body_is_sent_again_after_a_401(void **state) {
    fixture *f = *state;
    text t = {.text = "some text"};
    rostering_request request = put(&t, 9);
    request.rewind_body = rewind_text;
    want_jobs(f->client);
    sandbox_fault(f->sandbox, JOBS, "{s:i, s:i}", "status", 401, "requests", 1);
    rostering_error *error = send_request(f, &request);
    assert_int_equal(error->status, 404); /* the sandbox's own response, to the second request */
    rostering_error_free(error);
    want_sent(f, "body", "some text");
    assert_int_equal(t.rewound, 1);
    assert_int_equal(sandbox_requests(f->sandbox, AUTH), 2);
}

static bool fail_to_rewind(void *context) {
    (void)context;
    return false;
}

static void a_body_that_cannot_be_sent_again(void **state) {
    fixture *f = *state;
    text t = {.text = "some text"};
    want_jobs(f->client);
    for (int i = 0; i < 2; i++) {
        rostering_request request = put(&t, 9);
        request.rewind_body = i == 0 ? NULL : fail_to_rewind;
        int tokens = sandbox_requests(f->sandbox, AUTH), requests = sandbox_requests(f->sandbox, JOBS);
        sandbox_fault(f->sandbox, JOBS, "{s:i}", "status", 401);
        rostering_error *error = send_request(f, &request);
        assert_int_equal(error->status, 401);
        assert_true(error->retryable);
        want_error(error, ROSTERING_SERVICE_UNAUTHORIZED, NULL);
        assert_int_equal(sandbox_requests(f->sandbox, JOBS), requests + 1);
        assert_int_equal(sandbox_requests(f->sandbox, AUTH), tokens);
        sandbox_clear_faults(f->sandbox);
        want_jobs(f->client); /* with a new token */
        assert_int_equal(sandbox_requests(f->sandbox, AUTH), tokens + 1);
    }
}

static int count_connection(void *n, curl_socket_t socket, curlsocktype purpose) {
    (void)socket, (void)purpose;
    ++*(int *)n;
    return CURL_SOCKOPT_OK;
}

static void count_connections(void *curl, void *n) {
    curl_easy_setopt(curl, CURLOPT_SOCKOPTFUNCTION, count_connection);
    curl_easy_setopt(curl, CURLOPT_SOCKOPTDATA, n);
}

static void a_connection_is_kept_and_no_request_is_sent_twice(void **state) {
    fixture *f = *state;
    text t = {.text = "some text"};
    rostering_request requests[] = {new_request("PUT", "/a"), new_request("PUT", "/a"), put(&t, 0)};
    requests[1].json = "[]";
    int connections = 0;
    f->options.prepare_curl = count_connections;
    f->options.curl_context = &connections;
    reopen(f);
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        sandbox_clear_faults(f->sandbox);
        want_jobs(f->client);
        int before = connections, sent = sandbox_requests(f->sandbox, JOBS);
        want_jobs(f->client);
        assert_int_equal(connections, before);
        sandbox_fault(f->sandbox, JOBS, "{s:b}", "cut_off", 1);
        rostering_error *error = send_request(f, &requests[i]);
        want_part(error->message, "the connection was closed before a response arrived");
        want_error(error, ROSTERING_NETWORK_ERROR, NULL);
        assert_int_equal(sandbox_requests(f->sandbox, JOBS), sent + 2);
    }
    assert_true(connections > 0);
}

/* The lists of headers in memory, which contain the token: the linker redirects these functions of libcurl to here. */
static atomic_int lists;

struct curl_slist *__real_curl_slist_append(struct curl_slist *list, const char *line);
struct curl_slist *__wrap_curl_slist_append(struct curl_slist *list, const char *line);
struct curl_slist *__wrap_curl_slist_append(struct curl_slist *list, const char *line) {
    if (list == NULL) lists++;
    return __real_curl_slist_append(list, line);
}

void __real_curl_slist_free_all(struct curl_slist *list);
void __wrap_curl_slist_free_all(struct curl_slist *list);
void __wrap_curl_slist_free_all(struct curl_slist *list) {
    if (list != NULL) lists--;
    __real_curl_slist_free_all(list);
}

static void an_idle_handle_has_no_headers(void **state) {
    fixture *f = *state;
    for (int i = 0; i < 3; i++) { /* the first with a token request */
        lists = 0;
        want_jobs(f->client);
        assert_int_equal(lists, 0);
    }
}

int run_request_tests(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_request_is_sent_unchanged),
        TEST(json_body),
        TEST(query_parameters),
        TEST(each_method_without_a_body),
        TEST(equal_requests_with_different_bodies),
        TEST(many_different_requests),
        TEST(invalid_value_in_a_request),
        TEST(a_body_that_is_read),
        TEST(a_body_is_sent_again_after_a_401),
        TEST(a_body_that_cannot_be_sent_again),
        TEST(an_idle_handle_has_no_headers),
        TEST(a_connection_is_kept_and_no_request_is_sent_twice),
    };
    return cmocka_run_group_tests_name("requests", tests, NULL, NULL);
}
