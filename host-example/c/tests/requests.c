/* Requests of one's own, and their bodies. */
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
        assert_string_equal(response.body, "[1]");
        rostering_response_free(&response);
    }
    return error;
}

static rostering_error *put(fixture *f, rostering_body body) {
    return send_request(f, &(rostering_request){.path = "/a", .method = "PUT", .body = body});
}

static void want_body(fixture *f, const char *body) {
    assert_string_equal(strstr(service_last_request(f->service), "\r\n\r\n") + 4, body);
}

static void a_request_is_sent_as_it_is(void **state) {
    fixture *f = *state;
    const rostering_header headers[] = {
        {"X-One", "a, b"}, {"X-None", ""}, {"content-type", "text/plain"}, {NULL, NULL}};
    assert_null(send_request(f, &(rostering_request){.path = "/other/1%2F2?a=b&c=/../%41",
                                    .method = "POST",
                                    .headers = headers,
                                    .body = {.data = "\xff", .length = 1},
                                    .ids = {.customer_id = "other", .omit_user_id = true}}));
    want_line(f, "POST /other/1%2F2?a=b&c=/../%41 HTTP/1.1");
    want_line(f, "CUSTOMER_ID: other");
    want_line(f, "X-One: a, b");
    want_line(f, "X-None:");
    want_line(f, "Content-Type: text/plain");
    want_line(f, "Content-Length: 1");
    want_body(f, "\xff");
}

static void each_method_without_a_body(void **state) {
    fixture *f = *state;
    static const char *const methods[] = {NULL, "POST", "PUT", "PATCH", "DELETE", "OPTIONS"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        const char *method = methods[i] != NULL ? methods[i] : "GET", *request = service_last_request(f->service);
        assert_null(send_request(f, &(rostering_request){.path = "/a", .method = methods[i]}));
        assert_memory_equal(request, method, strlen(method));
        assert_null(strcasestr(request, "Content-Type"));
        assert_int_equal(strstr(request, "Content-Length: 0") != NULL, *method == 'P');
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
    assert_int_equal(service_requests(f->service, TOKEN), 0);
}

static void a_body_that_is_read(void **state) {
    fixture *f = *state;
    text t = {.text = "some text"};
    assert_null(put(f, (rostering_body){.length = 9, .read = read_text, .context = &t}));
    want_line(f, "Content-Length: 9");
    want_body(f, "some text");
    t.at = 0;
    assert_null(put(f, (rostering_body){.read = read_text, .context = &t}));
    want_line(f, "Transfer-Encoding: chunked");
    want_body(f, "9\r\nsome text\r\n0\r\n\r\n");
    t.text = NULL;
    rostering_error *error = put(f, (rostering_body){.read = read_text, .context = &t});
    want_code(error, ROSTERING_NETWORK_ERROR);
    assert_non_null(strstr(error->message, "body cannot be read"));
    rostering_error_free(error);
}

static void a_body_is_sent_again_after_a_401(void **state) {
    fixture *f = *state;
    const answer refusal = {.status = 401, .body = "", .only_to = "a-token-of-the-test-1\r\n"};
    text t = {.text = "some text"};
    want_jobs(f->client);
    service_answer(f->service, JOBS, &refusal);
    assert_null(put(f, (rostering_body){.length = 9, .read = read_text, .rewind = rewind_text, .context = &t}));
    want_line(f, "Authorization: Bearer a-token-of-the-test-2");
    want_body(f, "some text");
    assert_int_equal(t.rewound, 1);
}

static void a_body_that_cannot_be_sent_again(void **state) {
    fixture *f = *state;
    const answer refusal = {.status = 401, .body = "", .only_to = "a-token-of-the-test-1\r\n"};
    text t = {.text = "some text"};
    want_jobs(f->client);
    service_answer(f->service, JOBS, &refusal);
    rostering_error *error = put(f, (rostering_body){.length = 9, .read = read_text, .context = &t});
    want_code(error, ROSTERING_SERVICE_UNAUTHORIZED);
    assert_int_equal(error->status, 401);
    rostering_error_free(error);
    want_jobs(f->client);
    want_line(f, "Authorization: Bearer a-token-of-the-test-2");
}

static void a_connection_is_kept_and_no_request_is_sent_twice(void **state) {
    fixture *f = *state;
    text t = {.text = "some text"};
    const rostering_body bodies[] = {{0}, {.data = "x", .length = 1}, {.read = read_text, .context = &t}};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        service_answer(f->service, JOBS, NULL);
        want_jobs(f->client);
        int connections = service_connections(f->service), requests = service_requests(f->service, JOBS);
        want_jobs(f->client);
        assert_int_equal(service_connections(f->service), connections);
        service_answer(f->service, JOBS, &(answer){0});
        rostering_error *error = put(f, bodies[i]);
        want_code(error, ROSTERING_NETWORK_ERROR);
        assert_non_null(strstr(error->message, "the connection was closed before an answer came"));
        rostering_error_free(error);
        assert_int_equal(service_requests(f->service, JOBS), requests + 2);
    }
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
