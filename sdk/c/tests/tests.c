/* What only C can break: NULL, callbacks, threads, signals, fork, options. The sandbox runs this program and sets its
 * variables. */
#include <arpa/inet.h>
#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <rostering.h>

static rostering_error *error; /* of the last call */
static char silent[64];        /* the URL of a server that never responds */

static void listen_silently(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(listener, 10), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    snprintf(silent, sizeof silent, "http://127.0.0.1:%d", ntohs(address.sin_port));
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
    rostering_config_free(config);
    return client;
}

static rostering_client *open_at(const char *base_url) {
    rostering_config *config = rostering_config_from_env(&error);
    if (base_url != NULL) rostering_config_set(config, "base_url", base_url, &error);
    return open_with(config);
}

static void want_jobs(const rostering_client *client) {
    rostering_response *jobs = rostering_list_jobs(client, ROSTERING_CLIENT_TIMEOUT, NULL, &error);
    want_no_error();
    assert_non_null(strstr(rostering_response_body(jobs), "sandbox-job-1"));
    assert_string_equal(rostering_response_header(jobs, "CONTENT-type"), "application/json");
    rostering_response_free(jobs);
}

static void null_is_an_error(void **state) {
    assert_null(rostering_client_open(NULL, &error));
    want_error(ROSTERING_CODE_INVALID_INPUT, "config is NULL");
    assert_null(rostering_list_jobs(NULL, 0, NULL, &error));
    want_error(ROSTERING_CODE_INVALID_INPUT, "client is NULL");
    assert_null(rostering_list_jobs(NULL, 0, NULL, NULL)); /* without an error to set */
    assert_null(rostering_client_status(NULL, &error));
    want_error(ROSTERING_CODE_INVALID_INPUT, "client is NULL");
    assert_false(rostering_config_set_header(NULL, "name", "value", &error));
    want_error(ROSTERING_CODE_INVALID_INPUT, "config is NULL");
    rostering_client *client = open_at(NULL);
    assert_null(rostering_send_request(client, NULL, 0, NULL, &error));
    want_error(ROSTERING_CODE_INVALID_INPUT, "request is NULL");
    assert_false(rostering_set_token(client, NULL, &error));
    want_error(ROSTERING_CODE_INVALID_INPUT, "token is NULL");
    rostering_request *request = rostering_request_new("POST", "/jobs", &error);
    rostering_request_set_body(request, NULL, 5, &error);
    rostering_request_set_header(request, "X-Name", "\xff", &error); /* the first mistake counts */
    assert_null(rostering_send_request(client, request, 0, NULL, &error));
    want_error(ROSTERING_CODE_INVALID_INPUT, "body is NULL");
    rostering_request_free(request);
    assert_null(rostering_get_token(client, true, "refused", 0, NULL, &error));
    want_error(ROSTERING_CODE_INVALID_INPUT, "not both");
    assert_null(rostering_client_view(client, "customer", "7", &error));
    want_error(ROSTERING_CODE_INVALID_INPUT, "must be customer_id or user_id");
    assert_null(rostering_store_new(NULL, NULL, &error));
    want_error(ROSTERING_CODE_INVALID_INPUT, "function is NULL");
    assert_int_equal(rostering_response_status(NULL), 0);
    assert_null(rostering_error_text(NULL));
    assert_null(rostering_error_field(NULL, "key"));
    assert_null(rostering_error_response(NULL));
    rostering_text_free(NULL);
    rostering_client_close(NULL, 0);
    rostering_client_free(NULL);
    rostering_client_free(client);
}

static void options_are_checked(void **state) {
    static const char *const wrong[][3] = {
        {"ca_file", "/missing", "cannot read ca_file /missing"},
        {"ca_file", "/dev/null", "certificates in PEM"},
        {"client_certificate_file", "/etc/passwd", "its key in PEM"},
        {"proxy", "::", "must be a URL"},
        {"timeout_ms", "soon", "must be an integer"},
        {"timeout_ms", "0", "or -1 for no limit"},
        {"max_body", "-1", "must be an integer"},
        {"plugin_file", "/missing", "cannot read plugin_file"},
    };
    rostering_config *config = rostering_config_from_env(&error);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(rostering_config_set(config, wrong[i][0], wrong[i][1], &error));
        assert_string_equal(rostering_error_field(error, "key"), wrong[i][0]);
        assert_null(rostering_error_field(error, "status"));
        want_error(ROSTERING_CODE_CONFIG_INVALID, wrong[i][2]);
    }
    assert_false(rostering_config_set(config, "auth-url", "x", &error));
    assert_null(rostering_client_open(config, &error)); /* an earlier error stays */
    want_error(ROSTERING_CODE_CONFIG_INVALID, "auth-url is no field of the config, such as auth_url");
    rostering_config_free(config);
    assert_null(rostering_store_open("file:/proc/none", &error));
    want_error(ROSTERING_CODE_STORE_FAILED, "/proc/none");
    assert_null(rostering_store_open("redis//user:password", &error));
    assert_null(strstr(rostering_error_json(error), "password"));
    want_error(ROSTERING_CODE_STORE_FAILED, "url must be memory:, file:FOLDER, or redis://");
}

static void the_full_form_alone_has_the_body(void **state) {
    rostering_client *client = open_at(NULL);
    rostering_client *nobody = rostering_client_view(client, "customer_id", NULL, &error);
    assert_null(rostering_list_jobs(nobody, 0, NULL, &error)); /* a 400 of the sandbox */
    assert_string_equal(rostering_error_field(error, "request"), "{\"method\":\"GET\",\"path\":\"/jobs\"}");
    assert_null(strstr(rostering_error_json(error), "\"body\""));
    assert_null(strstr(rostering_error_json(error), "\"headers\""));
    assert_non_null(strstr(rostering_error_full_json(error), rostering_error_field(error, "headers")));
    assert_non_null(strstr(rostering_error_full_json(error), "\"body\""));
    want_error(ROSTERING_CODE_SERVICE_ERROR, "GET /jobs: ");
    rostering_client_free(nobody);
    rostering_client_free(client);
}

static void *list_jobs(void *client) {
    want_jobs(client);
    return NULL;
}

static void a_small_stack_is_enough(void **state) {
    rostering_client *client = open_at(NULL);
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    assert_int_equal(pthread_attr_setstacksize(&attributes, 64 << 10), 0);
    assert_int_equal(pthread_create(&thread, &attributes, list_jobs, client), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
    rostering_client_free(client);
}

static rostering_cancel *of_signal;

static void on_alarm(int number) {
    rostering_cancel_calls(of_signal);
}

static void a_signal_handler_cancels(void **state) {
    rostering_client *client = open_at(silent);
    of_signal = rostering_cancel_new();
    signal(SIGALRM, on_alarm);
    const struct itimerval soon = {.it_value.tv_usec = 200000};
    setitimer(ITIMER_REAL, &soon, NULL);
    for (int i = 0; i < 2; i++) { /* later calls, too */
        assert_null(rostering_list_jobs(client, ROSTERING_NO_TIMEOUT, of_signal, &error));
        want_error(ROSTERING_CODE_CANCELED, "canceled");
    }
    rostering_retries *retries = rostering_retries_new(ROSTERING_NO_TIMEOUT);
    assert_null(rostering_list_jobs(client, 1, NULL, &error)); /* times out, which is retryable */
    assert_false(rostering_retry(retries, of_signal, &error));
    want_error(ROSTERING_CODE_CANCELED, "canceled");
    rostering_retries_free(retries);
    rostering_cancel_free(of_signal);
    rostering_client_free(client);
}

static const rostering_client *logged;

static void log_line(void *refused, rostering_log_level level, const char *line) {
    assert_null(rostering_list_jobs(logged, 0, NULL, &error));
    want_error(ROSTERING_CODE_INVALID_INPUT, "a callback must not call the library");
    ++*(int *)refused;
}

static void a_callback_must_not_call(void **state) {
    int refused = 0;
    rostering_config *config = rostering_config_from_env(&error);
    rostering_config_set_log(config, log_line, &refused);
    rostering_client *client = open_with(config);
    logged = client;
    want_jobs(client);
    rostering_client_free(client); /* which waits for a line that a thread still logs */
    assert_int_equal(refused, 1);  /* of the token request */
}

/* list_with lists the jobs of tasks.sh's server, whose certificate is ca.pem, and which wants one. */
static void list_with(bool ca, bool certificate) {
    rostering_config *config = rostering_config_from_env(&error);
    rostering_config_set(config, "base_url", getenv("TLS_URL"), &error);
    if (ca) rostering_config_set(config, "ca_file", "ca.pem", &error);
    if (certificate) rostering_config_set(config, "client_certificate_file", "both.pem", &error);
    rostering_client *client = open_with(config);
    rostering_response_free(rostering_list_jobs(client, 0, NULL, &error));
    rostering_client_free(client);
}

static void tls_options(void **state) {
    list_with(true, true);
    want_no_error();
    list_with(false, true);
    want_error(ROSTERING_CODE_NETWORK_ERROR, "");
    list_with(true, false);
    want_error(ROSTERING_CODE_NETWORK_ERROR, "");
}

static int count_threads(void) {
    int n = 0;
    DIR *tasks = opendir("/proc/self/task");
    while (readdir(tasks) != NULL) n++;
    closedir(tasks);
    return n;
}

static void freeing_the_last_view_ends_the_threads(void **state) {
    int before = count_threads();
    rostering_client *client = open_at(NULL);
    rostering_client *view = rostering_client_view(client, "customer_id", "customer-7", &error);
    rostering_client_free(client);
    want_jobs(view);
    assert_true(count_threads() > before);
    rostering_client_free(view);
    while (count_threads() > before) usleep(1000); /* the last of them is ending */
}

static void a_child_opens_its_own(void **state) {
    rostering_client *client = open_at(NULL);
    want_jobs(client);
    pid_t child = fork();
    if (child == 0) {
        assert_null(rostering_list_jobs(client, 0, NULL, &error));
        want_error(ROSTERING_CODE_CLOSED, "before fork");
        rostering_client_free(client);
        want_jobs(open_at(NULL));
        _exit(EXIT_SUCCESS); /* without freeing it */
    }
    int status = EXIT_FAILURE;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, EXIT_SUCCESS);
    want_jobs(client);
    rostering_client_free(client);
}

int main(void) {
    listen_silently();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_is_an_error),
        cmocka_unit_test(options_are_checked),
        cmocka_unit_test(the_full_form_alone_has_the_body),
        cmocka_unit_test(a_small_stack_is_enough),
        cmocka_unit_test(a_signal_handler_cancels),
        cmocka_unit_test(a_callback_must_not_call),
        cmocka_unit_test(tls_options),
        cmocka_unit_test(freeing_the_last_view_ends_the_threads),
        cmocka_unit_test(a_child_opens_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
