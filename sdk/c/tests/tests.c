/* What C alone can break: handles, callbacks, threads, cancellation, fork, options. The sandbox runs this program, so
 * its variables are set. The rules of calls are those of the crate, whose tests show them. */
#include <arpa/inet.h>
#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include <rostering.h>

enum { LONG_MS = 20000 };

static rostering_error *error; /* of the last call */

static int forget_error(void **state) {
    (void)state;
    error = NULL;
    return 0;
}

static void want_error(rostering_code code, const char *part) {
    assert_non_null(error);
    if (rostering_error_code(error) != code || strstr(rostering_error_text(error), part) == NULL) {
        fail_msg("%s, want %s", rostering_error_text(error), part);
    }
    rostering_error_free(error);
    error = NULL;
}

static void want_no_error(void) {
    if (error != NULL) fail_msg("%s", rostering_error_text(error));
}

static rostering_client *open_with(rostering_config *config) {
    rostering_client *client = rostering_client_open(config, &error);
    want_no_error();
    rostering_config_free(config);
    return client;
}

static rostering_client *open_client(void) {
    return open_with(rostering_config_from_env(&error));
}

static void want_jobs(const rostering_client *client) {
    rostering_response *jobs = rostering_list_jobs(client, LONG_MS, NULL, &error);
    want_no_error();
    assert_int_equal(rostering_response_status(jobs), 200);
    assert_non_null(strstr(rostering_response_body(jobs), "sandbox-job-1"));
    rostering_response_free(jobs);
}

/* A server on loopback: it accepts, and responds once respond is called. */
typedef struct server {
    int listener, connection;
    char url[64], request[4096];
} server;

static server listen_on_loopback(void) {
    server s = {.listener = socket(AF_INET, SOCK_STREAM, 0), .connection = -1};
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    assert_int_equal(bind(s.listener, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(s.listener, 10), 0);
    assert_int_equal(getsockname(s.listener, (struct sockaddr *)&address, &size), 0);
    snprintf(s.url, sizeof s.url, "http://127.0.0.1:%d", ntohs(address.sin_port));
    return s;
}

/* receive waits for a request up to a text, its end. */
static void receive(server *s, const char *end) {
    size_t length = 0;
    if (s->connection < 0) s->connection = accept(s->listener, NULL, NULL);
    memset(s->request, 0, sizeof s->request);
    while (strstr(s->request, end) == NULL) {
        ssize_t n = read(s->connection, s->request + length, sizeof s->request - 1 - length);
        if (n <= 0) fail_msg("the request ends after %s", s->request);
        length += (size_t)n;
    }
}

static void respond(server *s, const char *response) {
    ssize_t length = (ssize_t)strlen(response);
    assert_int_equal(write(s->connection, response, (size_t)length), length);
}

static void close_server(server *s) {
    close(s->listener);
    if (s->connection >= 0) close(s->connection);
}

#define OK "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Name: first\r\n\r\n{}"
#define UNAUTHORIZED "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n"

/* open_at opens a client that has a token, whose service is the server. */
static rostering_client *open_at(const server *s, rostering_config *config) {
    rostering_client *other = open_client();
    rostering_token *token = rostering_get_token(other, false, NULL, LONG_MS, NULL, &error);
    rostering_config_set(config, "base_url", s->url, &error);
    rostering_client *client = open_with(config);
    rostering_set_token(client, token, &error);
    want_no_error();
    rostering_token_free(token);
    rostering_client_free(other);
    return client;
}

/* A call on another thread. */
typedef struct call {
    const rostering_client *client;
    const rostering_request *request;
    const rostering_cancel *cancel;
    int64_t timeout_ms;
    rostering_response *response;
    rostering_error *error;
    pthread_t thread;
} call;

static void *make_call(void *argument) {
    call *c = argument;
    c->response = c->request != NULL
                      ? rostering_send_request(c->client, c->request, c->timeout_ms, c->cancel, &c->error)
                      : rostering_list_jobs(c->client, c->timeout_ms, c->cancel, &c->error);
    return NULL;
}

static void start_call(call *c) {
    assert_int_equal(pthread_create(&c->thread, NULL, make_call, c), 0);
}

static void end_call(call *c) {
    assert_int_equal(pthread_join(c->thread, NULL), 0);
    error = c->error;
}

static void lists_jobs(void **state) {
    (void)state;
    rostering_client *client = open_client();
    want_jobs(client);
    rostering_client *view = rostering_client_for_customer(client, "customer-7", &error);
    rostering_client *both = rostering_client_for_user(view, "user-9", &error);
    rostering_client_free(client); /* a view outlives it */
    rostering_client_free(view);
    want_jobs(both);
    assert_true(rostering_clear_token(both, &error));
    want_jobs(both);
    rostering_client_free(both);
}

static void null_is_an_error(void **state) {
    (void)state;
    assert_null(rostering_client_open(NULL, &error));
    want_error(ROSTERING_CODE_INVALID_INPUT, "config is NULL");
    assert_null(rostering_list_jobs(NULL, 0, NULL, &error));
    want_error(ROSTERING_CODE_INVALID_INPUT, "client is NULL");
    assert_null(rostering_list_jobs(NULL, 0, NULL, NULL)); /* and nobody asks */
    rostering_client *client = open_client();
    assert_null(rostering_send_request(client, NULL, 0, NULL, &error));
    want_error(ROSTERING_CODE_INVALID_INPUT, "request is NULL");
    assert_false(rostering_set_token(client, NULL, &error));
    want_error(ROSTERING_CODE_INVALID_INPUT, "token is NULL");
    rostering_request *request = rostering_request_new("POST", "/jobs");
    rostering_request_set_body(request, NULL, 5);
    rostering_request_set_header(request, "X-Name", "\xff"); /* the first mistake counts */
    assert_null(rostering_send_request(client, request, 0, NULL, &error));
    want_error(ROSTERING_CODE_INVALID_INPUT, "body is NULL");
    rostering_request_free(request);
    assert_null(rostering_get_token(client, true, "refused", 0, NULL, &error));
    want_error(ROSTERING_CODE_INVALID_INPUT, "not both");
    assert_null(rostering_store_new(NULL, NULL, NULL, NULL, &error));
    want_error(ROSTERING_CODE_INVALID_INPUT, "must not be NULL");
    assert_int_equal(rostering_response_status(NULL), 0);
    assert_null(rostering_error_text(NULL));
    rostering_client_close(NULL, 0);
    rostering_client_free(NULL);
    rostering_retries_free(NULL);
    rostering_client_free(client);
}

static void an_earlier_error_stays(void **state) {
    (void)state;
    rostering_config *config = rostering_config_new();
    assert_false(rostering_config_set(config, "auth-url", "x", &error));
    assert_null(rostering_client_open(config, &error));
    want_error(ROSTERING_CODE_CONFIG_INVALID, "unknown key auth-url: use one of auth_url, ");
    rostering_config_free(config);
}

static void config_is_checked(void **state) {
    (void)state;
    static const char *const wrong[][3] = {
        {"environment", "test", "stage or production"},
        {"refresh_margin", "-1", "non-negative"},
        {"allow_http", "yes", "true or false"},
        {"ca_file", "/missing", "cannot read ca_file /missing"},
        {"ca_file", "/dev/null", "no certificate"},
        {"proxy", "::", "must be a URL"},
        {"plugin_file", "/missing", "cannot read plugin_file"},
    };
    rostering_config *config = rostering_config_from_env(&error);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(rostering_config_set(config, wrong[i][0], wrong[i][1], &error));
        assert_string_equal(rostering_error_key(error), wrong[i][0]);
        want_error(ROSTERING_CODE_CONFIG_INVALID, wrong[i][2]);
    }
    rostering_config_set(config, "client_certificate_file", "/dev/null", &error);
    rostering_config_set(config, "client_key_file", "/etc/passwd", &error);
    assert_null(rostering_client_open(config, &error));
    want_error(ROSTERING_CODE_CONFIG_INVALID, "in PEM");
    rostering_config_free(config);
    config = rostering_config_from_env(&error);
    assert_true(rostering_config_set(config, "client_id", "", &error));
    assert_null(rostering_client_open(config, &error));
    want_error(ROSTERING_CODE_CONFIG_MISSING, "client_id");
    rostering_config_free(config);
}

static void requests_and_responses(void **state) {
    (void)state;
    server s = listen_on_loopback();
    rostering_config *config = rostering_config_from_env(&error);
    rostering_config_set(config, "user_agent", "tests/1", &error);
    rostering_client *client = open_at(&s, config);
    rostering_request *request = rostering_request_new("POST", "/x?a=1");
    rostering_request_set_header(request, "X-Mine", "replaced");
    rostering_request_set_header(request, "x-mine", "yes");
    rostering_request_add_query(request, "b c", "&");
    rostering_request_set_json(request, "{\"n\":1}");
    call c = {.client = client, .request = request, .timeout_ms = LONG_MS};
    start_call(&c);
    receive(&s, "{\"n\":1}");
    assert_non_null(strstr(s.request, "POST /x?a=1&b+c=%26 HTTP/1.1"));
    assert_non_null(strcasestr(s.request, "x-mine: yes"));
    assert_null(strstr(s.request, "replaced"));
    assert_non_null(strcasestr(s.request, "content-type: application/json"));
    assert_non_null(strcasestr(s.request, "user-agent: tests/1"));
    respond(&s, OK);
    end_call(&c);
    want_no_error();
    assert_int_equal(rostering_response_body_length(c.response), 2);
    assert_string_equal(rostering_response_body(c.response), "{}");
    assert_string_equal(rostering_response_header(c.response, "x-name"), "first");
    assert_null(rostering_response_header(c.response, "missing"));
    size_t headers = 0;
    while (rostering_response_header_name(c.response, headers) != NULL) headers++;
    assert_int_equal(headers, 2);
    rostering_response_free(c.response);
    rostering_request_free(request);
    rostering_client_free(client);
    close_server(&s);
}

/* A body that a function reads. */
typedef struct reading {
    int calls, rewinds;
    bool fails, cannot_rewind;
    pthread_t thread;
} reading;

static ptrdiff_t read_body(void *context, uint8_t *buffer, size_t size) {
    reading *r = context;
    assert_true(pthread_equal(r->thread, pthread_self()) != 0 || r->calls == 0);
    r->thread = pthread_self();
    if (r->fails) return ROSTERING_READ_FAILED;
    if (r->calls++ == 2) return 0;
    assert_true(size >= 4);
    memcpy(buffer, "part", 4);
    return 4;
}

static bool rewind_body(void *context) {
    reading *r = context;
    r->rewinds++;
    r->calls = 0;
    return !r->cannot_rewind;
}

static void reads_bodies(void **state) {
    (void)state;
    enum { REWINDS, FAILS, CANNOT_REWIND, HAS_NO_REWIND };
    for (int i = REWINDS; i <= HAS_NO_REWIND; i++) {
        server s = listen_on_loopback();
        rostering_client *client = open_at(&s, rostering_config_from_env(&error));
        reading r = {.fails = i == FAILS, .cannot_rewind = i == CANNOT_REWIND};
        rostering_request *request = rostering_request_new("PUT", "/x");
        rostering_request_set_read_body(request, read_body, i == HAS_NO_REWIND ? NULL : rewind_body, &r, 8);
        call c = {.client = client, .request = request, .timeout_ms = LONG_MS};
        start_call(&c);
        if (i != FAILS) {
            receive(&s, "partpart");
            assert_non_null(strcasestr(s.request, "content-length: 8"));
            respond(&s, UNAUTHORIZED);
        }
        if (i == REWINDS) {
            receive(&s, "partpart");
            assert_int_equal(r.rewinds, 1);
            respond(&s, OK);
        }
        end_call(&c);
        if (i == REWINDS) want_no_error();
        if (i == FAILS) want_error(ROSTERING_CODE_NETWORK_ERROR, "read_body failed");
        if (i >= CANNOT_REWIND) {
            assert_true(rostering_error_retryable(error));
            want_error(ROSTERING_CODE_SERVICE_UNAUTHORIZED, "cannot be");
        }
        rostering_response_free(c.response);
        rostering_request_free(request);
        rostering_client_free(client);
        close_server(&s);
    }
}

static rostering_cancel *of_signal;

static void on_signal(int number) {
    (void)number;
    rostering_cancel_calls(of_signal);
}

static void cancels_closes_and_times_out(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        server s = listen_on_loopback();
        rostering_client *client = open_at(&s, rostering_config_from_env(&error));
        of_signal = rostering_cancel_new(&error);
        call c = {.client = client, .cancel = of_signal, .timeout_ms = i == 3 ? 100 : ROSTERING_NO_TIMEOUT};
        start_call(&c);
        receive(&s, "\r\n\r\n");
        if (i == 0) rostering_cancel_calls(of_signal);
        if (i == 1) {
            signal(SIGUSR1, on_signal);
            raise(SIGUSR1);
        }
        if (i == 2) rostering_client_close(client, 0);
        end_call(&c);
        if (i <= 1) want_error(ROSTERING_CODE_CANCELED, "canceled");
        if (i == 2) want_error(ROSTERING_CODE_CLOSED, "closed");
        if (i == 3) want_error(ROSTERING_CODE_NETWORK_ERROR, "timed out");
        if (i == 0) { /* later calls, too */
            assert_null(rostering_list_jobs(client, 0, of_signal, &error));
            want_error(ROSTERING_CODE_CANCELED, "canceled");
        }
        rostering_cancel_free(of_signal);
        rostering_client_free(client);
        close_server(&s);
    }
}

static void a_closed_client_is_an_error(void **state) {
    (void)state;
    rostering_client *client = open_client();
    want_jobs(client);
    rostering_client_close(client, LONG_MS);
    assert_null(rostering_list_jobs(client, 0, NULL, &error));
    want_error(ROSTERING_CODE_CLOSED, "open a new one");
    assert_null(rostering_get_token(client, false, NULL, 0, NULL, &error));
    want_error(ROSTERING_CODE_CLOSED, "open a new one");
    rostering_client_free(client);
}

/* A store and a log of the program, on any thread. */
typedef struct own {
    atomic_int gets, sets, lines;
    bool fails;
    struct {
        char key[600], value[8192];
    } values[4];
    const rostering_client *client; /* which the log must not call */
    atomic_int refused;
} own;

/* place_of returns where a key is or would be. */
static char *place_of(own *o, const char *key) {
    size_t i = 0;
    assert_true(strlen(key) <= 512);
    while (o->values[i].key[0] != '\0' && strcmp(o->values[i].key, key) != 0) i++;
    assert_true(i < 4);
    snprintf(o->values[i].key, sizeof o->values[i].key, "%s", key);
    return o->values[i].value;
}

static bool get(void *context, const char *key, rostering_value *value) {
    own *o = context;
    const char *found = place_of(o, key);
    o->gets++;
    if (*found != '\0') rostering_value_set(value, found);
    return !o->fails;
}

static bool set(void *context, const char *key, const char *value, int64_t ttl_seconds) {
    own *o = context;
    assert_true(ttl_seconds > 0);
    o->sets++;
    snprintf(place_of(o, key), sizeof o->values->value, "%s", value);
    return !o->fails;
}

static bool add(void *context, const char *key, const char *value, int64_t ttl_seconds, bool *added) {
    *added = *place_of(context, key) == '\0';
    return *added ? set(context, key, value, ttl_seconds) : !((own *)context)->fails;
}

static void log_line(void *context, rostering_log_level level, const char *line) {
    own *o = context;
    (void)level;
    o->lines++;
    assert_null(strstr(line, getenv("ROSTERING_CLIENT_SECRET")));
    rostering_error *refused = NULL;
    if (o->client != NULL && rostering_list_jobs(o->client, 0, NULL, &refused) == NULL) o->refused++;
    rostering_error_free(refused);
}

static rostering_client *open_own(own *o) {
    rostering_store *store = rostering_store_new(get, add, set, o, &error);
    rostering_config *config = rostering_config_from_env(&error);
    rostering_config_set_store(config, store);
    rostering_config_set_log(config, log_line, o);
    rostering_client *client = open_with(config);
    rostering_store_free(store);
    return client;
}

static void stores_and_logs(void **state) {
    (void)state;
    static own o; /* too large for a stack */
    rostering_client *first = open_own(&o), *second = open_own(&o);
    o.client = first;
    want_jobs(first);
    o.client = NULL;
    assert_true(o.lines > 0 && o.refused == o.lines);
    want_jobs(second);
    rostering_token *a = rostering_get_token(first, false, NULL, LONG_MS, NULL, &error);
    rostering_token *b = rostering_get_token(second, false, NULL, LONG_MS, NULL, &error);
    assert_string_equal(rostering_token_access_token(a), rostering_token_access_token(b));
    assert_true(rostering_token_expires_at(a) > time(NULL) && o.gets > 0 && o.sets > 0);
    assert_string_equal(rostering_token_type(a), "Bearer");
    rostering_token *copy = rostering_token_new(
        rostering_token_access_token(a), NULL, rostering_token_expires_at(a), rostering_token_cache_key(a), &error);
    assert_true(rostering_set_token(first, copy, &error));
    rostering_token_free(copy);
    rostering_token_free(a);
    rostering_token_free(b);
    rostering_client_free(second);
    o.fails = true; /* the call continues without the store */
    assert_true(rostering_clear_token(first, &error));
    want_jobs(first);
    rostering_client_free(first);
}

static void stores_that_cannot_be_opened(void **state) {
    (void)state;
    assert_null(rostering_file_store_new("/proc/none", &error));
    want_error(ROSTERING_CODE_STORE_FAILED, "/proc/none");
    assert_null(rostering_redis_store_new("redis//user:password", &error));
    assert_null(strstr(rostering_error_json(error), "password"));
    want_error(ROSTERING_CODE_STORE_FAILED, "Redis");
    rostering_store_free(rostering_memory_store_new());
}

/* What a server sends is bounded, in time and memory, and closing waits for none of it. */
static void hostile_servers(void **state) {
    (void)state;
    static const char *const endless[][2] = {
        {"HTTP/1.1 200 OK\r\n", "X: y\r\n"},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n", "X: y\r\n"},
    };
    signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; i < sizeof endless / sizeof *endless; i++) {
        server s = listen_on_loopback();
        rostering_client *client = open_at(&s, rostering_config_from_env(&error));
        call c = {.client = client, .timeout_ms = LONG_MS};
        start_call(&c);
        receive(&s, "\r\n\r\n");
        respond(&s, endless[i][0]);
        long sent = 0;
        while (sent < 10000000 && write(s.connection, endless[i][1], strlen(endless[i][1])) > 0) sent++;
        assert_true(sent < 10000000); /* the library gave up */
        end_call(&c);
        want_error(ROSTERING_CODE_NETWORK_ERROR, "");
        rostering_client_free(client);
        close_server(&s);
    }
}

static void a_hundred_threads(void **state) {
    (void)state;
    enum { THREADS = 100 };
    rostering_client *client = open_client();
    call calls[THREADS];
    for (int i = 0; i < THREADS; i++) {
        calls[i] = (call){.client = client, .timeout_ms = LONG_MS};
        start_call(&calls[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        end_call(&calls[i]);
        want_no_error();
        rostering_response_free(calls[i].response);
    }
    rostering_client_free(client);
}

static int count_threads(void) {
    int n = 0;
    DIR *tasks = opendir("/proc/self/task");
    assert_non_null(tasks);
    while (readdir(tasks) != NULL) n++;
    closedir(tasks);
    return n;
}

static void freeing_ends_the_threads(void **state) {
    (void)state;
    int before = count_threads();
    rostering_client *client = open_client();
    want_jobs(client);
    assert_true(count_threads() > before);
    rostering_client_free(client);
    while (count_threads() > before) usleep(1000); /* the last of them is ending */
}

static void a_child_opens_its_own(void **state) {
    (void)state;
    rostering_client *client = open_client();
    want_jobs(client);
    pid_t child = fork();
    if (child == 0) {
        rostering_response *none = rostering_list_jobs(client, 0, NULL, &error);
        bool good = none == NULL && strstr(rostering_error_text(error), "before fork") != NULL;
        rostering_error_free(error);
        error = NULL;
        rostering_client_free(client);
        client = open_client();
        want_jobs(client);
        _exit(good ? 0 : 1); /* without freeing it */
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    want_jobs(client);
    rostering_client_free(client);
}

static void retries(void **state) {
    (void)state;
    rostering_retries *none = rostering_retries_new(1);
    error = rostering_error_new(ROSTERING_CODE_SERVICE_ERROR, "busy", 503, true);
    assert_false(rostering_retry(none, NULL, &error)); /* the wait would be longer */
    assert_int_equal(rostering_error_status(error), 503);
    rostering_retries *some = rostering_retries_new(ROSTERING_NO_TIMEOUT);
    assert_true(rostering_retry(some, NULL, &error));
    assert_null(error);
    assert_false(rostering_retry(some, NULL, &error)); /* the call succeeded */
    error = rostering_error_new(ROSTERING_CODE_INVALID_INPUT, NULL, 0, false);
    assert_false(rostering_retry(some, NULL, &error));
    assert_string_equal(rostering_error_code_text(error), "invalid_input");
    rostering_error_free(error);
    error = rostering_error_new(ROSTERING_CODE_NETWORK_ERROR, "lost", 0, true);
    rostering_cancel *cancel = rostering_cancel_new(NULL);
    rostering_cancel_calls(cancel);
    assert_false(rostering_retry(some, cancel, &error));
    want_error(ROSTERING_CODE_CANCELED, "canceled");
    rostering_cancel_free(cancel);
    rostering_retries_free(none);
    rostering_retries_free(some);
}

int main(void) {
    alarm(300); /* bounds every wait */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(lists_jobs, forget_error),
        cmocka_unit_test_setup(null_is_an_error, forget_error),
        cmocka_unit_test_setup(an_earlier_error_stays, forget_error),
        cmocka_unit_test_setup(config_is_checked, forget_error),
        cmocka_unit_test_setup(requests_and_responses, forget_error),
        cmocka_unit_test_setup(reads_bodies, forget_error),
        cmocka_unit_test_setup(cancels_closes_and_times_out, forget_error),
        cmocka_unit_test_setup(a_closed_client_is_an_error, forget_error),
        cmocka_unit_test_setup(stores_and_logs, forget_error),
        cmocka_unit_test_setup(stores_that_cannot_be_opened, forget_error),
        cmocka_unit_test_setup(hostile_servers, forget_error),
        cmocka_unit_test_setup(a_hundred_threads, forget_error),
        cmocka_unit_test_setup(freeing_ends_the_threads, forget_error),
        cmocka_unit_test_setup(a_child_opens_its_own, forget_error),
        cmocka_unit_test_setup(retries, forget_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
