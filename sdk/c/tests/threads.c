/* Threads: concurrent calls, cancellation, time-outs, closing. */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "tests.h"

/* A call that lists the jobs on another thread. */
typedef struct lister {
    rostering *client;
    rostering_call call;
    pthread_t thread;
    rostering_error *error;
} lister;

static void *list(void *argument) {
    lister *l = argument;
    rostering_response jobs;
    rostering_list_jobs(l->client, NULL, &l->call, &jobs, &l->error);
    rostering_response_free(&jobs);
    return NULL;
}

static void start(lister *l, rostering *client) {
    l->client = client;
    assert_int_equal(pthread_create(&l->thread, NULL, list, l), 0);
}

static rostering_error *join(lister *l) {
    assert_int_equal(pthread_join(l->thread, NULL), 0);
    return l->error;
}

static void threads_share_a_client_and_its_token(void **state) {
    fixture *f = *state;
    lister listers[20] = {0};
    sandbox_fault(f->sandbox, JOBS, "{s:b}", "hold", 1);
    for (size_t i = 0; i < 20; i++) start(&listers[i], f->client);
    sandbox_wait(f->sandbox, JOBS, 20);
    sandbox_clear_faults(f->sandbox);
    for (size_t i = 0; i < 20; i++) assert_null(join(&listers[i]));
    assert_int_equal(sandbox_requests(f->sandbox, AUTH), 1);
}

static void one_handle_cancels_many_calls(void **state) {
    fixture *f = *state;
    rostering_cancel *cancel = rostering_cancel_new();
    lister listers[3] = {{.call = {.cancel = cancel}}, {.call = {.cancel = cancel}}, {.call = {.cancel = cancel}}};
    rostering *other = open_another(f);
    sandbox_fault(f->sandbox, JOBS, "{s:b}", "hold", 1);
    start(&listers[0], f->client);
    sandbox_wait(f->sandbox, JOBS, 1);
    sandbox_fault(f->sandbox, AUTH, "{s:b}", "hold", 1);
    start(&listers[1], other);
    start(&listers[2], other); /* which waits for that token */
    sandbox_wait(f->sandbox, AUTH, 2);
    rostering_cancel_calls(cancel);
    rostering_cancel_calls(cancel);
    for (size_t i = 0; i < 3; i++) want_error(join(&listers[i]), ROSTERING_CANCELED);
    list(&listers[0]);
    want_error(listers[0].error, ROSTERING_CANCELED);
    sandbox_clear_faults(f->sandbox);
    want_jobs(other); /* with the token that the canceled calls requested */
    assert_int_equal(sandbox_requests(f->sandbox, AUTH), 2);
    rostering_free(other);
    rostering_cancel_free(cancel);
    rostering_cancel_free(NULL);
}

static rostering_cancel *canceled_by_signal;

static void on_signal(int number) {
    (void)number;
    rostering_cancel_calls(canceled_by_signal);
}

static void a_signal_handler_cancels(void **state) {
    fixture *f = *state;
    struct sigaction before, action = {.sa_handler = on_signal};
    canceled_by_signal = rostering_cancel_new();
    lister l = {.call = {.cancel = canceled_by_signal}};
    assert_int_equal(sigaction(SIGUSR1, &action, &before), 0);
    sandbox_fault(f->sandbox, JOBS, "{s:b}", "hold", 1);
    start(&l, f->client);
    sandbox_wait(f->sandbox, JOBS, 1);
    pthread_kill(l.thread, SIGUSR1);
    want_error(join(&l), ROSTERING_CANCELED);
    sigaction(SIGUSR1, &before, NULL);
    rostering_cancel_free(canceled_by_signal);
}

static void want_time_out(rostering *client, const rostering_call *call) {
    lister l = {.client = client, .call = *call};
    list(&l);
    want_code(l.error, ROSTERING_NETWORK_ERROR);
    assert_true(l.error->retryable);
    assert_non_null(strstr(l.error->message, "timed out"));
    rostering_error_free(l.error);
}

static void a_time_out_leaves_the_token_request_to_the_next_call(void **state) {
    fixture *f = *state;
    sandbox_fault(f->sandbox, AUTH, "{s:b}", "hold", 1);
    want_time_out(f->client, &(rostering_call){.timeout_ms = 100});
    sandbox_clear_faults(f->sandbox);
    want_jobs(f->client);
    assert_int_equal(sandbox_requests(f->sandbox, AUTH), 1);
    sandbox_fault(f->sandbox, JOBS, "{s:b}", "hold", 1);
    want_time_out(f->client, &(rostering_call){.timeout_ms = 100});
    sandbox_clear_faults(f->sandbox);
    f->options.timeout_ms = 1;
    reopen(f);
    sandbox_fault(f->sandbox, AUTH, "{s:b}", "hold", 1);
    want_time_out(f->client, &(rostering_call){0});
    sandbox_clear_faults(f->sandbox);
    lister patient = {.client = f->client, .call = {.timeout_ms = -1}};
    list(&patient);
    assert_null(patient.error);
}

static void *close_client(void *client) {
    rostering_close(client);
    return NULL;
}

static void close_waits_for_calls_and_refuses_later_ones(void **state) {
    fixture *f = *state;
    lister l = {0};
    pthread_t closing;
    sandbox_fault(f->sandbox, AUTH, "{s:b}", "hold", 1);
    want_time_out(f->client, &(rostering_call){.timeout_ms = 100}); /* its token request goes on */
    start(&l, f->client);
    assert_int_equal(pthread_create(&closing, NULL, close_client, f->client), 0);
    assert_int_equal(pthread_tryjoin_np(closing, NULL) != 0, 1);
    sandbox_clear_faults(f->sandbox);
    rostering_error *error = join(&l);
    if (error != NULL) want_error(error, ROSTERING_CLOSED); /* if closing was first */
    assert_int_equal(pthread_join(closing, NULL), 0);
    rostering_error_free(want_no_jobs(f->client, ROSTERING_CLOSED));
    assert_false(rostering_clear_token(f->client, NULL));
    rostering_close(f->client);
    rostering_free(NULL);
}

/* Waits that are far longer than the tests. */
#define WAIT(whose) "{\"step\":\"wait\",\"for\":\"" whose "\",\"seconds\":3600,\"flow\":\"\"}"
#define DONE "{\"step\":\"done\"}"

static rostering *open_fake(fixture *f, const char *begin, const char *resume) {
    char *plugin = fake_plugin(own_version, begin, resume);
    f->options.plugin = plugin;
    f->options.plugin_size = strlen(plugin);
    reopen(f);
    free(plugin);
    return f->client;
}

static bool is_awaited(rostering *client) {
    pthread_mutex_lock(&client->lock);
    bool awaited = client->woken != NULL;
    pthread_mutex_unlock(&client->lock);
    return awaited;
}

/* make_section performs a section of one step, after which the fake returns what its resume does. */
static void make_section(rostering *client) {
    rostering_progress at = {.client = client,
        .step =
            json_pack("{s:s, s:s, s:s, s:i, s:s}", "step", "store", "op", "get", "key", "k", "timeout", 1, "flow", "")};
    assert_int_equal(rostering_section(&at, &(rostering_limits){.deadline = INT64_MAX}), ROSTERING_END_READY);
    assert_null(at.error);
    json_decref(at.step);
}

static void a_wait_for_a_call_ends_with_a_section(void **state) {
    fixture *f = *state;
    rostering_store *store = rostering_memory_store_new();
    lister listers[20] = {0};
    f->options.store = store;
    rostering *client = open_fake(f, WAIT("call"), DONE);
    for (size_t i = 0; i < 20; i++) start(&listers[i], client);
    while (!is_awaited(client)) poll(NULL, 0, 1);
    make_section(client); /* before, while or after the others begin to wait */
    for (size_t i = 0; i < 20; i++) {
        while (pthread_tryjoin_np(listers[i].thread, NULL) != 0) {
            if (is_awaited(client)) make_section(client); /* for those that had not begun */
            poll(NULL, 0, 1);
        }
    }
    for (size_t i = 0; i < 20; i++) assert_null(listers[i].error); /* no time-out */
    rostering_free(client);
    f->client = NULL;
    rostering_store_free(store);
}

static rostering_end begin_and_pause(rostering *client, int64_t timeout_ms, bool section) {
    const rostering_plan plan = {.call = "list_jobs", .input = "{}"};
    const rostering_limits limits = {.deadline = rostering_deadline(timeout_ms)};
    rostering_progress at = {.client = client};
    rostering_begin(&at, &plan);
    assert_null(at.error);
    if (section) make_section(client);
    rostering_end end = rostering_pause(&at, &limits);
    json_decref(at.step);
    return end;
}

static void a_section_that_ends_before_the_wait_begins(void **state) {
    fixture *f = *state;
    rostering_store *store = rostering_memory_store_new();
    f->options.store = store;
    rostering *client = open_fake(f, WAIT("call"), DONE);
    assert_int_equal(begin_and_pause(client, 30000, true), ROSTERING_END_READY);
    assert_int_equal(begin_and_pause(client, 50, false), ROSTERING_END_TIMED_OUT); /* that was another step's */
    client = open_fake(f, WAIT("call"), WAIT("store"));
    assert_int_equal(begin_and_pause(client, 50, true), ROSTERING_END_TIMED_OUT); /* a section that ends in a wait */
    client = open_fake(f, WAIT("store"), DONE);
    assert_int_equal(begin_and_pause(client, 50, true), ROSTERING_END_TIMED_OUT); /* a wait for the store */
    rostering_free(client);
    f->client = NULL;
    rostering_store_free(store);
}

int run_thread_tests(void) {
    const struct CMUnitTest tests[] = {
        TEST(threads_share_a_client_and_its_token),
        TEST(one_handle_cancels_many_calls),
        TEST(a_signal_handler_cancels),
        TEST(a_time_out_leaves_the_token_request_to_the_next_call),
        TEST(close_waits_for_calls_and_refuses_later_ones),
        TEST(a_wait_for_a_call_ends_with_a_section),
        TEST(a_section_that_ends_before_the_wait_begins),
    };
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
