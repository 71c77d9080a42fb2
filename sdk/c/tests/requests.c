/* Requests of one's own, and their bodies. */
#include <curl/curl.h>
#include <string.h>

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
    rostering_response response;
    rostering_error *error = NULL;
    if (rostering_send_request(f->client, request, NULL, &response, &error)) {
        assert_int_equal(response.status, 201);
        rostering_response_free(&response);
    }
    return error;
}

static rostering_error *put(fixture *f, rostering_body body) {
    return send_request(f, &(rostering_request){.path = "/a", .method = "PUT", .body = body});
}

/* Without this, the sandbox answers the requests here with 404. */
static void accept_all(fixture *f) {
    sandbox_fault(f->sandbox, JOBS, "{s:i}", "status", 201);
}

static void a_request_is_sent_as_it_is(void **state) {
    fixture *f = *state;
    const rostering_header headers[] = {
        {"X-One", "a, b"}, {"X-None", ""}, {"content-type", "text/plain"}, {NULL, NULL}};
    accept_all(f);
    assert_null(send_request(f, &(rostering_request){.path = "/other/1%2F2?a=b&c=/../%41",
                                    .method = "POST",
                                    .headers = headers,
                                    .body = {.data = "\xff", .length = 1},
                                    .ids = {.customer_id = "other", .omit_user_id = true}}));
    want_sent(f, "method", "POST");
    want_sent(f, "target", "/other/1%2F2?a=b&c=/../%41");
    want_sent(f, "customer_id", "other");
    want_sent(f, "user_id", NULL);
    want_sent(f, "x-one", "a, b");
    want_sent(f, "x-none", "");
    want_sent(f, "content-type", "text/plain");
    want_sent(f, "content-length", "1");
    want_sent(f, "body", "\xef\xbf\xbd"); /* the journal holds only text */
}

static void each_method_without_a_body(void **state) {
    fixture *f = *state;
    static const char *const methods[] = {NULL, "POST", "PUT", "PATCH", "DELETE", "OPTIONS"};
    accept_all(f);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        const char *method = methods[i] != NULL ? methods[i] : "GET";
        assert_null(send_request(f, &(rostering_request){.path = "/a", .method = methods[i]}));
        want_sent(f, "method", method);
        want_sent(f, "content-type", NULL);
        want_sent(f, "content-length", *method == 'P' ? "0" : NULL);
    }
}

static void a_request_at_fault_is_not_sent(void **state) {
    fixture *f = *state;
    const rostering_header twice[] = {{"a", "1"}, {"a", "2"}, {NULL, NULL}}, unnamed[] = {{"\xff", ""}, {NULL, NULL}};
    const struct {
        rostering_request request;
        const char *key;
    } table[] = {
        {{.path = NULL}, "path"},
        {{.path = "/\xff"}, "path"},
        {{.path = "/", .method = ""}, "method"},
        {{.path = "/", .body = {.data = "a body of GET", .length = 1}}, "body"},
        {{.path = "/", .headers = twice}, "headers"},
        {{.path = "/", .headers = unnamed}, "headers"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        rostering_error *error = send_request(f, &table[i].request);
        want_code(error, ROSTERING_INVALID_INPUT);
        assert_string_equal(error->key, table[i].key);
        rostering_error_free(error);
    }
    assert_int_equal(sandbox_requests(f->sandbox, AUTH), 0);
}

static void a_body_that_is_read(void **state) {
    fixture *f = *state;
    text t = {.text = "some text"};
    accept_all(f);
    assert_null(put(f, (rostering_body){.length = 9, .read = read_text, .context = &t}));
    want_sent(f, "content-length", "9");
    want_sent(f, "body", "some text");
    t.at = 0;
    assert_null(put(f, (rostering_body){.read = read_text, .context = &t}));
    want_sent(f, "content-length", NULL);
    want_sent(f, "body", "some text");
    t.text = NULL;
    rostering_error *error = put(f, (rostering_body){.read = read_text, .context = &t});
    want_code(error, ROSTERING_NETWORK_ERROR);
    assert_non_null(strstr(error->message, "body cannot be read"));
    rostering_error_free(error);
}

static void a_body_is_sent_again_after_a_401(void **state) {
    fixture *f = *state;
    text t = {.text = "some text"};
    want_jobs(f->client);
    sandbox_fault(f->sandbox, JOBS, "{s:i, s:i}", "status", 401, "requests", 1);
    rostering_error *error =
        put(f, (rostering_body){.length = 9, .read = read_text, .rewind = rewind_text, .context = &t});
    assert_int_equal(error->status, 404); /* the sandbox's own answer, to the second request */
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
    const rostering_body bodies[] = {{.length = 9, .read = read_text, .context = &t},
        {.length = 9, .read = read_text, .rewind = fail_to_rewind, .context = &t}};
    want_jobs(f->client);
    for (int i = 0; i < 2; i++) {
        int tokens = sandbox_requests(f->sandbox, AUTH), requests = sandbox_requests(f->sandbox, JOBS);
        sandbox_fault(f->sandbox, JOBS, "{s:i}", "status", 401);
        t.at = 0;
        rostering_error *error = put(f, bodies[i]);
        want_code(error, ROSTERING_SERVICE_UNAUTHORIZED);
        assert_int_equal(error->status, 401);
        assert_true(error->retryable);
        rostering_error_free(error);
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
    const rostering_body bodies[] = {{0}, {.data = "x", .length = 1}, {.read = read_text, .context = &t}};
    int connections = 0;
    f->options.prepare_curl = count_connections;
    f->options.curl_context = &connections;
    reopen(f);
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        sandbox_clear_faults(f->sandbox);
        want_jobs(f->client);
        int before = connections, requests = sandbox_requests(f->sandbox, JOBS);
        want_jobs(f->client);
        assert_int_equal(connections, before);
        sandbox_fault(f->sandbox, JOBS, "{s:b}", "cut_off", 1);
        rostering_error *error = put(f, bodies[i]);
        want_code(error, ROSTERING_NETWORK_ERROR);
        assert_non_null(strstr(error->message, "the connection was closed before an answer came"));
        rostering_error_free(error);
        assert_int_equal(sandbox_requests(f->sandbox, JOBS), requests + 2);
    }
    assert_true(connections > 0);
}

int run_request_tests(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_request_is_sent_as_it_is),
        TEST(each_method_without_a_body),
        TEST(a_request_at_fault_is_not_sent),
        TEST(a_body_that_is_read),
        TEST(a_body_is_sent_again_after_a_401),
        TEST(a_body_that_cannot_be_sent_again),
        TEST(a_connection_is_kept_and_no_request_is_sent_twice),
    };
    return cmocka_run_group_tests_name("requests", tests, NULL, NULL);
}
