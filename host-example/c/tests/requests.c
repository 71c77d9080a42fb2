/* Requests to other paths of the service. */
#include <string.h>

#include "tests.h"

static void send(fixture *f, const rostering_request *request) {
    rostering_body answer;
    assert_null(rostering_send_request(f->client, request, &answer));
    assert_string_equal(answer.data, "[1]");
    rostering_body_free(&answer);
}

static void request_is_sent_as_it_is(void **state) {
    fixture *f = *state;
    const rostering_header headers[] = {{"X-One", "a, b"}, {"content-type", "text/plain"}, {NULL, NULL}};
    const rostering_ids ids = {.customer_id = "other", .omit_user_id = true};
    send(f, &(rostering_request){.path = "/other/1%2F2?a=b&c=/../%41",
                .method = "POST",
                .headers = headers,
                .body = "\xc3\xbc",
                .ids = &ids});
    want_line(f, "POST /other/1%2F2?a=b&c=/../%41 HTTP/1.1");
    want_line(f, "Authorization: Bearer a-token-of-the-test-1");
    want_line(f, "CUSTOMER_ID: other");
    want_line(f, "X-One: a, b");
    want_line(f, "Content-Type: text/plain");
    assert_string_equal(strstr(service_last_request(f->service), "\r\n\r\n"), "\r\n\r\n\xc3\xbc");
    assert_int_equal(service_token_requests(f->service), 1);
}

static void method_is_get_if_none_is_given(void **state) {
    fixture *f = *state;
    send(f, &(rostering_request){.path = "/"});
    want_line(f, "GET / HTTP/1.1");
}

static void each_method_without_a_body(void **state) {
    fixture *f = *state;
    static const char *const methods[] = {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        send(f, &(rostering_request){.path = "/a", .method = methods[i]});
        const char *request = service_last_request(f->service);
        assert_memory_equal(request, methods[i], strlen(methods[i]));
        assert_null(strstr(request, "ontent-Type"));
    }
}

static void request_at_fault_is_not_sent(void **state) {
    fixture *f = *state;
    const rostering_header twice[] = {{"a", "1"}, {"a", "2"}, {NULL, NULL}};
    const rostering_header forbidden[] = {{"Host", "evil.example"}, {NULL, NULL}};
    const struct {
        rostering_request request;
        const char *key;
    } table[] = {
        {{.path = "//evil.example/"}, "path"},
        {{.path = NULL}, "path"},
        {{.path = "/", .method = "TRACE"}, "method"},
        {{.path = "/", .body = "a body of GET"}, "body"},
        {{.path = "/", .method = "POST", .body = "\xff"}, "body"},
        {{.path = "/", .headers = twice}, "headers"},
        {{.path = "/", .headers = forbidden}, "headers"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        rostering_body answer;
        want_fault(
            rostering_send_request(f->client, &table[i].request, &answer), ROSTERING_INVALID_INPUT, table[i].key);
    }
    assert_int_equal(service_token_requests(f->service), 0);
}

int run_request_tests(void) {
    const struct CMUnitTest tests[] = {
        BOTH(request_is_sent_as_it_is),
        BOTH(method_is_get_if_none_is_given),
        BOTH(each_method_without_a_body),
        BOTH(request_at_fault_is_not_sent),
    };
    return cmocka_run_group_tests_name("requests", tests, NULL, NULL);
}
