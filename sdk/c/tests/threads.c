/* Threads: concurrent calls, cancellation, timeouts, closing. */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "client.h"
#include "tests.h"

/* A call that lists the jobs on another thread. */
typedef struct lister {
    rostering_client *client;
    rostering_call call;
    pthread_t thread;
    rostering_error *error;
} lister;

static void *list(void *argument) {
    lister *l = argument;
    rostering_response *jobs;
    rostering_list_jobs(l->client, &l->call, &jobs, &l->error);
    rostering_response_free(jobs);
    return NULL;
}

static void start(lister *l, rostering_client *client, rostering_cancel *cancel) {
    l->client = client;
    l->call = new_call(0, cancel);
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
    for (size_t i = 0; i < 20; i++) start(&listers[i], f->client, NULL);
    sandbox_wait(f->sandbox, JOBS, 20);
    sandbox_clear_faults(f->sandbox);
    for (size_t i = 0; i < 20; i++) assert_null(join(&listers[i]));
    assert_int_equal(sandbox_requests(f->sandbox, AUTH), 1);
}

static void one_handle_cancels_many_calls(void **state) {
    fixture *f = *state;
    rostering_cancel *cancel = rostering_cancel_new();
    lister listers[3] = {0};
    rostering_client *other = open_another(f);
    sandbox_fault(f->sandbox, JOBS, "{s:b}", "hold", 1);
    start(&listers[0], f->client, cancel);
    sandbox_wait(f->sandbox, JOBS, 1);
    sandbox_fault(f->sandbox, AUTH, "{s:b}", "hold", 1);
    start(&listers[1], other, cancel);
    start(&listers[2], other, cancel); /* waits for that token */
    sandbox_wait(f->sandbox, AUTH, 2);
    rostering_cancel_calls(cancel);
    rostering_cancel_calls(cancel);
    for (size_t i = 0; i < 3; i++) want_error(join(&listers[i]), ROSTERING_CANCELED, NULL);
    list(&listers[0]);
    want_error(listers[0].error, ROSTERING_CANCELED, NULL);
    sandbox_clear_faults(f->sandbox);
    want_jobs(other); /* with the token that the canceled calls requested */
    assert_int_equal(sandbox_requests(f->sandbox, AUTH), 2);
    rostering_client_free(other);
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
    lister l = {0};
    assert_int_equal(sigaction(SIGUSR1, &action, &before), 0);
    sandbox_fault(f->sandbox, JOBS, "{s:b}", "hold", 1);
    start(&l, f->client, canceled_by_signal);
    sandbox_wait(f->sandbox, JOBS, 1);
    pthread_kill(l.thread, SIGUSR1);
    want_error(join(&l), ROSTERING_CANCELED, NULL);
    sigaction(SIGUSR1, &before, NULL);
    rostering_cancel_free(canceled_by_signal);
}

static void want_timeout(rostering_client *client, int64_t timeout_ms) {
    const rostering_call call = new_call(timeout_ms, NULL);
    rostering_error *error = list_jobs(client, &call);
    assert_true(error->retryable);
    want_part(error->message, "timed out");
    want_error(error, ROSTERING_NETWORK_ERROR, NULL);
}

static void timeout(void **state) {
    fixture *f = *state;
    assert_int_equal(f->options.timeout_ms, 30000);
    sandbox_fault(f->sandbox, AUTH, "{s:b}", "hold", 1);
    want_timeout(f->client, 100);
    sandbox_clear_faults(f->sandbox);
    want_jobs(f->client);
    assert_int_equal(sandbox_requests(f->sandbox, AUTH), 1); /* the token request continued for the next call */
    sandbox_fault(f->sandbox, JOBS, "{s:b}", "hold", 1);
    want_timeout(f->client, 100);
    sandbox_clear_faults(f->sandbox);
    f->options.timeout_ms = 1;
    reopen(f);
    sandbox_fault(f->sandbox, AUTH, "{s:b}", "hold", 1);
    want_timeout(f->client, ROSTERING_CLIENT_TIMEOUT);
    sandbox_clear_faults(f->sandbox);
    const rostering_call call = new_call(ROSTERING_NO_TIMEOUT, NULL);
    assert_null(list_jobs(f->client, &call));
}

/* A thread that closes a client. */
typedef struct closer {
    rostering_client *client;
    int64_t timeout_ms;
    pthread_t thread;
    bool ended;
} closer;

static void *close_client(void *argument) {
    closer *c = argument;
    c->ended = rostering_client_close(c->client, c->timeout_ms);
    return NULL;
}

static bool is_closed(rostering_client *client) {
    pthread_mutex_lock(&client->core->lock);
    bool closed = client->core->closed;
    pthread_mutex_unlock(&client->core->lock);
    return closed;
}

static void close_waits_for_calls_and_refuses_later_ones(void **state) {
    fixture *f = *state;
    lister l = {0};
    closer c = {.client = f->client, .timeout_ms = 60000};
    sandbox_fault(f->sandbox, AUTH, "{s:b}", "hold", 1);
    start(&l, f->client, NULL);
    sandbox_wait(f->sandbox, AUTH, 1);
    assert_int_equal(pthread_create(&c.thread, NULL, close_client, &c), 0);
    while (!is_closed(f->client)) poll(NULL, 0, 1);
    want_error(list_jobs(f->client, NULL), ROSTERING_CLOSED, NULL);
    sandbox_clear_faults(f->sandbox);
    assert_null(join(&l));
    assert_int_equal(pthread_join(c.thread, NULL), 0);
    assert_true(c.ended);
    want_error(list_jobs(f->client, NULL), ROSTERING_CLOSED, NULL);
    assert_true(rostering_client_close(f->client, 0));
    rostering_client_free(NULL);
}

static void close_cancels_at_its_limit(void **state) {
    fixture *f = *state;
    lister listers[2] = {0};
    want_jobs(f->client);
    sandbox_fault(f->sandbox, JOBS, "{s:b}", "hold", 1);
    start(&listers[0], f->client, NULL); /* waits for the service */
    rostering_client *other = open_another(f);
    sandbox_fault(f->sandbox, AUTH, "{s:b}", "hold", 1);
    start(&listers[1], other, NULL); /* waits for its token */
    sandbox_wait(f->sandbox, JOBS, 2);
    sandbox_wait(f->sandbox, AUTH, 2);
    assert_false(rostering_client_close(f->client, 1));
    assert_false(rostering_client_close(other, 0));
    for (int i = 0; i < 2; i++) want_error(join(&listers[i]), ROSTERING_CLOSED, NULL);
    rostering_client_free(other);
}

static void close_gives_up_a_token_request_without_a_call(void **state) {
    fixture *f = *state;
    sandbox_fault(f->sandbox, AUTH, "{s:b}", "hold", 1); /* until the end of the test */
    want_timeout(f->client, 100);
    sandbox_wait(f->sandbox, AUTH, 1);
    assert_true(rostering_client_close(f->client, ROSTERING_NO_TIMEOUT));
}

/* Waits that are far longer than any test. */
#define WAIT(whose) "{\"step\":\"wait\",\"for\":\"" whose "\",\"seconds\":3600,\"flow\":\"\"}"
#define DONE "{\"step\":\"done\"}"

static rostering_client *open_fake(fixture *f, const char *begin, const char *resume) {
    char *plugin = fake_plugin(own_version, begin, resume);
    f->options.plugin = plugin;
    f->options.plugin_size = strlen(plugin);
    reopen(f);
    free(plugin);
    return f->client;
}

static bool is_awaited(rostering_client *client) {
    pthread_mutex_lock(&client->core->lock);
    bool awaited = client->core->woken != NULL;
    pthread_mutex_unlock(&client->core->lock);
    return awaited;
}

/* make_section performs a section of one step, which ends with what the fake's resume returns. */
static void make_section(rostering_client *client) {
    rostering_progress at = {.core = client->core,
        .step =
            json_pack("{s:s, s:s, s:s, s:i, s:s}", "step", "store", "op", "get", "key", "k", "timeout", 1, "flow", "")};
    assert_int_equal(rostering_section(&at, &(rostering_limits){.deadline = INT64_MAX}), ROSTERING_END_READY);
    assert_null(at.error);
    json_decref(at.step);
}

static void wait_ends(void **state) {
    fixture *f = *state;
    rostering_store *store = rostering_memory_store_new();
    lister listers[20] = {0};
    f->options.store = store;
    rostering_client *client = open_fake(f, WAIT("call"), DONE);
    for (size_t i = 0; i < 20; i++) start(&listers[i], client, NULL);
    while (!is_awaited(client)) poll(NULL, 0, 1);
    make_section(client); /* before, while or after the others begin to wait */
    for (size_t i = 0; i < 20; i++) {
        while (pthread_tryjoin_np(listers[i].thread, NULL) != 0) {
            if (is_awaited(client)) make_section(client); /* for those that had not begun */
            poll(NULL, 0, 1);
        }
    }
    for (size_t i = 0; i < 20; i++) assert_null(listers[i].error); /* no timeout */
    rostering_client_free(client);
    f->client = NULL;
    rostering_store_free(store);
}

static rostering_end begin_and_pause(rostering_client *client, int64_t timeout_ms, bool section) {
    const rostering_limits limits = {.deadline = rostering_deadline(timeout_ms)};
    rostering_progress at = {.core = client->core};
    json_t *input = json_object();
    rostering_begin(&at, "list_jobs", input, true);
    assert_null(at.error);
    json_decref(input);
    if (section) make_section(client);
    rostering_end end = rostering_pause(&at, &limits);
    json_decref(at.step);
    return end;
}

static void wait_ends_if_the_section_ended_before_it(void **state) {
    fixture *f = *state;
    rostering_store *store = rostering_memory_store_new();
    f->options.store = store;
    rostering_client *client = open_fake(f, WAIT("call"), DONE);
    assert_int_equal(begin_and_pause(client, 30000, true), ROSTERING_END_READY);
    assert_int_equal(begin_and_pause(client, 50, false), ROSTERING_END_TIMED_OUT); /* that wake was before this step */
    client = open_fake(f, WAIT("call"), WAIT("store"));
    assert_int_equal(begin_and_pause(client, 50, true), ROSTERING_END_TIMED_OUT); /* a section that ends in a wait */
    client = open_fake(f, WAIT("store"), DONE);
    assert_int_equal(begin_and_pause(client, 50, true), ROSTERING_END_TIMED_OUT); /* a wait for the store */
    rostering_client_free(client);
    f->client = NULL;
    rostering_store_free(store);
}

int run_thread_tests(void) {
    const struct CMUnitTest tests[] = {
        TEST(threads_share_a_client_and_its_token),
        TEST(one_handle_cancels_many_calls),
        TEST(a_signal_handler_cancels),
        TEST(timeout),
        TEST(close_waits_for_calls_and_refuses_later_ones),
        TEST(close_cancels_at_its_limit),
        TEST(close_gives_up_a_token_request_without_a_call),
        TEST(wait_ends),
        TEST(wait_ends_if_the_section_ended_before_it),
    };
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
