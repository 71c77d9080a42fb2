/*
 * Stress: for so many seconds, threads make random calls on clients that share a store, while servers and store fail,
 * tokens are revoked, calls are canceled, and clients are closed and opened anew. The first violation of an invariant
 * ends it. Usage: stress SECONDS SEED
 */
#include <dirent.h>
#include <errno.h>
#include <execinfo.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests.h"
#include "wait.h"

enum { WORKERS = 24, SLOTS = 4, LONGEST_MS = 3000, BOUND_MS = 60000, RECOVERY_MS = 120000, TICK_MS = 10 };

/* A client, which is replaced only while no worker uses it. */
typedef struct slot {
    pthread_rwlock_t lock;
    rostering_client *client;
} slot;

typedef struct worker {
    pthread_t thread;
    uint64_t random;
    pthread_mutex_t lock;
    rostering_cancel *cancel; /* of its current call */
    atomic_llong deadline_ms; /* of its current call, by far; 0: none */
    rostering_token *token;   /* the last one that it got */
} worker;

static slot slots[SLOTS];
static worker workers[WORKERS];
static rostering_config config;
static rostering_store *memory;
static atomic_bool ends, joined;
static atomic_uint store_mode; /* 0: it works, 1: it is slow, 2: it fails */
static atomic_long calls, cancels, faults;

/* next returns a random number below n: xorshift64*. */
static unsigned next(uint64_t *random, unsigned n) {
    *random ^= *random >> 12;
    *random ^= *random << 25;
    *random ^= *random >> 27;
    return (unsigned)((*random * UINT64_C(0x2545f4914f6cdd1d)) >> 33) % n;
}

static void violation(const char *what, const char *detail) {
    fprintf(stderr, "violation: %s: %s\n", what, detail);
    _exit(EXIT_FAILURE);
}

static void want_no_secret(const char *where, const char *line) {
    bool shown = strstr(line, config.client_secret) != NULL || strstr(line, "eyJ") != NULL; /* how each token begins */
    if (shown) violation(where, line);
}

static void keep_no_secret(void *context, rostering_log_level level, const char *line) {
    (void)context, (void)level;
    want_no_secret("a secret or token is logged", line);
}

/* The store in memory, according to its mode. */

static bool store_fails(void) {
    unsigned mode = atomic_load(&store_mode);
    if (mode == 1) poll(NULL, 0, 200);
    return mode == 2;
}

static int get(void *context, int64_t timeout_ms, const char *key, char **value) {
    return store_fails() ? EIO : memory->get(context, timeout_ms, key, value);
}

static int add(void *context, int64_t timeout_ms, const char *key, const char *value, int64_t ttl, bool *added) {
    return store_fails() ? EIO : memory->add(context, timeout_ms, key, value, ttl, added);
}

static int set(void *context, int64_t timeout_ms, const char *key, const char *value, int64_t ttl) {
    return store_fails() ? EIO : memory->set(context, timeout_ms, key, value, ttl);
}

/* open_slot opens the client of a slot. All but the first share the store. */
static void open_slot(size_t i) {
    rostering_options options = new_options();
    rostering_store store = *memory;
    rostering_error *error = NULL;
    store.get = get;
    store.add = add;
    store.set = set;
    if (i > 0) options.store = &store;
    options.log = keep_no_secret;
    if (!rostering_client_open(&config, &options, &slots[i].client, &error)) violation("opening failed", error->text);
}

/* judge fails unless the error is one that a call may end with. Returns whether there is none. */
static bool judge(rostering_error *error) {
    static const unsigned expected = 1u << ROSTERING_TOKEN_ENDPOINT_REJECTED |
                                     1u << ROSTERING_TOKEN_ENDPOINT_UNAVAILABLE |
                                     1u << ROSTERING_TOKEN_RESPONSE_INVALID | 1u << ROSTERING_TOKEN_MISMATCH |
                                     1u << ROSTERING_SERVICE_UNAUTHORIZED | 1u << ROSTERING_SERVICE_ERROR |
                                     1u << ROSTERING_NETWORK_ERROR | 1u << ROSTERING_CANCELED | 1u << ROSTERING_CLOSED;
    if (error == NULL) return true;
    want_no_secret("a secret or token is in an error", error->text);
    want_no_secret("a secret or token is in an error", error->json);
    if ((expected >> error->code & 1) == 0) violation("an unexpected error", error->text);
    if (error->code == ROSTERING_CANCELED) atomic_fetch_add(&cancels, 1);
    rostering_error_free(error);
    return false;
}

static void list(worker *w, rostering_client *client, const rostering_call *call) {
    rostering_response *jobs;
    rostering_error *error = NULL;
    (void)w;
    rostering_list_jobs(client, call, &jobs, &error);
    if (judge(error) && jobs->status == 200 && strstr(jobs->body, "sandbox-job-1") == NULL) {
        violation("another body", jobs->body);
    }
    rostering_response_free(jobs);
}

static void list_by_view(worker *w, rostering_client *client, const rostering_call *call) {
    rostering_client *customer = rostering_client_for_customer(client, "another-customer");
    rostering_client *both = rostering_client_for_user(customer, "another-user");
    rostering_client_free(customer);
    list(w, both, call);
    rostering_client_free(both);
}

static size_t read_some(void *left, void *buffer, size_t size) {
    size_t n = *(size_t *)left < size ? *(size_t *)left : size;
    memset(buffer, 'x', n);
    *(size_t *)left -= n;
    return n;
}

static void send_body(worker *w, rostering_client *client, const rostering_call *call) {
    size_t left = next(&w->random, 100000);
    rostering_request request = new_request("POST", "/jobs");
    rostering_response *response;
    rostering_error *error = NULL;
    request.read_body = read_some;
    request.body_context = &left;
    rostering_send_request(client, &request, call, &response, &error);
    judge(error);
    rostering_response_free(response);
}

static void get_token(worker *w, rostering_client *client, const rostering_call *call) {
    rostering_token *token;
    rostering_token_request request;
    rostering_error *error = NULL;
    rostering_token_request_init(&request, sizeof request);
    request.force = next(&w->random, 3) == 0;
    if (!request.force && w->token != NULL && next(&w->random, 2) == 0) request.refused = w->token->access_token;
    rostering_get_token(client, &request, call, &token, &error);
    if (!judge(error)) return;
    rostering_token_free(w->token);
    w->token = token;
}

static void set_token(worker *w, rostering_client *client, const rostering_call *call) {
    rostering_error *error = NULL;
    (void)call;
    if (w->token != NULL) rostering_set_token(client, w->token, &error);
    judge(error);
}

static void clear_token(worker *w, rostering_client *client, const rostering_call *call) {
    rostering_error *error = NULL;
    (void)w, (void)call;
    rostering_clear_token(client, &error);
    judge(error);
}

static void (*const operations[])(worker *, rostering_client *, const rostering_call *) = {
    list, list, list, list, list_by_view, send_body, get_token, set_token, clear_token};

/* take_cancel sets the handle of the worker's call, and frees that of the last one. */
static void take_cancel(worker *w, rostering_cancel *cancel) {
    pthread_mutex_lock(&w->lock);
    rostering_cancel *last = w->cancel;
    w->cancel = cancel;
    pthread_mutex_unlock(&w->lock);
    rostering_cancel_free(last);
}

static void *work(void *argument) {
    worker *w = argument;
    while (!atomic_load(&ends)) {
        slot *s = &slots[next(&w->random, SLOTS)];
        bool short_one = next(&w->random, 2) == 0;
        take_cancel(w, rostering_cancel_new());
        const rostering_call call = new_call(1 + (int64_t)next(&w->random, short_one ? 30 : LONGEST_MS), w->cancel);
        atomic_store(&w->deadline_ms, rostering_now_ms() + BOUND_MS);
        pthread_rwlock_rdlock(&s->lock);
        operations[next(&w->random, sizeof operations / sizeof *operations)](w, s->client, &call);
        pthread_rwlock_unlock(&s->lock);
        atomic_store(&w->deadline_ms, 0);
        atomic_fetch_add(&calls, 1);
    }
    take_cancel(w, NULL);
    rostering_token_free(w->token);
    return NULL;
}

/* replace closes a client during its calls, and opens another one. */
static void replace(size_t i, int64_t timeout_ms) {
    rostering_client_close(slots[i].client, timeout_ms);
    pthread_rwlock_wrlock(&slots[i].lock);
    rostering_client_free(slots[i].client);
    open_slot(i);
    pthread_rwlock_unlock(&slots[i].lock);
}

static void cancel_one(worker *w) {
    pthread_mutex_lock(&w->lock);
    if (w->cancel != NULL) rostering_cancel_calls(w->cancel);
    pthread_mutex_unlock(&w->lock);
}

/* disturb does one of what may happen to a program. */
static void disturb(sandbox *s, uint64_t *random) {
    static const int statuses[] = {400, 401, 408, 429, 500, 503};
    server on = next(random, 2) == 0 ? AUTH : JOBS;
    unsigned choice = next(random, 20);
    if (choice < 10) {
        for (int i = 0; i < 3; i++) cancel_one(&workers[next(random, WORKERS)]);
        return;
    }
    if (choice == 10) replace(next(random, SLOTS), (int64_t)next(random, 100));
    if (choice == 11) atomic_store(&store_mode, next(random, 3));
    if (choice == 12) sandbox_revoke(s);
    if (choice == 13) sandbox_set_lifetime(s, next(random, 2) == 0 ? 1 : 3600);
    if (choice == 14) sandbox_fault(s, on, "{s:b}", "hold", 1);
    if (choice == 15) sandbox_fault(s, on, "{s:b}", "cut_off", 1);
    if (choice == 16) sandbox_fault(s, on, "{s:i}", "delay_ms", 1 + (int)next(random, 300));
    if (choice == 17) {
        sandbox_fault(s, on, "{s:i, s:i, s:{s:s}}", "status", statuses[next(random, 6)], "requests", 5, "headers",
            "Retry-After", "1");
    }
    if (choice > 17) sandbox_clear_faults(s);
    atomic_fetch_add(&faults, choice <= 17);
}

static void show_stack(int signal) {
    void *frames[64];
    (void)signal;
    backtrace_symbols_fd(frames, backtrace(frames, 64), STDERR_FILENO);
    (void)!write(STDERR_FILENO, "\n", 1);
}

/* watch ends the process if a call, or anything else, takes longer than its bound. */
static void *watch(void *argument) {
    for (atomic_llong *main_deadline_ms = argument;; poll(NULL, 0, 1000)) {
        bool late = rostering_now_ms() > atomic_load(main_deadline_ms);
        for (size_t i = 0; i < WORKERS; i++) {
            long long deadline = atomic_load(&workers[i].deadline_ms);
            late |= deadline != 0 && rostering_now_ms() > deadline;
        }
        if (!late) continue;
        for (size_t i = 0; i < WORKERS && !atomic_load(&joined); i++) {
            pthread_kill(workers[i].thread, SIGUSR2);
            poll(NULL, 0, 100); /* one stack after the other */
        }
        violation("a deadlock", "see the stacks of the workers");
    }
    return NULL;
}

static bool recovers(rostering_client *client) {
    rostering_response *jobs;
    rostering_error *error = NULL;
    rostering_list_jobs(client, NULL, &jobs, &error);
    rostering_response_free(jobs);
    return judge(error);
}

/* want_recovery fails unless each client lists the jobs, once the last backoff is over. */
static void want_recovery(sandbox *s) {
    int64_t deadline = rostering_deadline(RECOVERY_MS);
    atomic_store(&store_mode, 0);
    sandbox_clear_faults(s);
    sandbox_set_lifetime(s, 3600);
    for (size_t i = 0; i < SLOTS; i++) {
        while (!recovers(slots[i].client)) {
            if (rostering_time_left(deadline) == 0) violation("no recovery", "a client still fails without any fault");
            poll(NULL, 0, 100);
        }
    }
}

static size_t count_entries(const char *folder) {
    size_t n = 0;
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    while (readdir(entries) != NULL) n++;
    closedir(entries);
    return n;
}

/* want_left fails unless there are soon no more than n threads or files. The sanitizer finds memory that is left. */
static void want_left(const char *folder, size_t n) {
    int64_t deadline = rostering_deadline(BOUND_MS);
    while (count_entries(folder) > n) {
        if (rostering_time_left(deadline) == 0) violation("something is left behind", folder);
        poll(NULL, 0, TICK_MS);
    }
}

static void run(sandbox *s, int64_t seconds, uint64_t random) {
    for (size_t i = 0; i < SLOTS; i++) open_slot(i);
    for (size_t i = 0; i < WORKERS; i++) {
        workers[i].random = random + i;
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int64_t end = rostering_deadline(seconds * 1000); rostering_time_left(end) > 0; poll(NULL, 0, TICK_MS)) {
        disturb(s, &random);
    }
    atomic_store(&ends, true);
    sandbox_clear_faults(s);
    for (size_t i = 0; i < WORKERS; i++) pthread_join(workers[i].thread, NULL);
    atomic_store(&joined, true);
    want_recovery(s);
    for (size_t i = 0; i < SLOTS; i++) rostering_client_free(slots[i].client);
}

static void prepare(sandbox *s) {
    pthread_rwlockattr_t writer_first; /* or else new calls would keep a closed client open */
    pthread_rwlockattr_init(&writer_first);
    pthread_rwlockattr_setkind_np(&writer_first, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    for (size_t i = 0; i < SLOTS; i++) pthread_rwlock_init(&slots[i].lock, &writer_first);
    for (size_t i = 0; i < WORKERS; i++) pthread_mutex_init(&workers[i].lock, NULL);
    const char *name;
    json_t *value;
    json_object_foreach(sandbox_env(s), name, value) {
        setenv(name, json_string_value(value), 1);
    }
    sigaction(SIGUSR2, &(struct sigaction){.sa_handler = show_stack}, NULL);
    memory = rostering_memory_store_new();
    if (!rostering_config_from_env(&config, sizeof config, NULL)) violation("no config", "from the sandbox");
    sandbox_clear_faults(s); /* its connection remains, as does what libextism starts for the process */
    open_slot(0);
    rostering_client_free(slots[0].client);
}

int main(int count, char **arguments) {
    if (count != 3) return EXIT_FAILURE;
    int64_t seconds = strtoll(arguments[1], NULL, 10);
    uint64_t seed = strtoull(arguments[2], NULL, 10);
    sandbox *s = sandbox_start();
    atomic_llong bound_ms;
    pthread_t watcher;
    prepare(s);
    atomic_init(&bound_ms, rostering_now_ms() + seconds * 1000 + RECOVERY_MS + 2 * BOUND_MS);
    assert_int_equal(pthread_create(&watcher, NULL, watch, &bound_ms), 0);
    size_t threads = count_entries("/proc/self/task"), files = count_entries("/proc/self/fd");
    run(s, seconds, seed * 1000 + 1);
    want_left("/proc/self/task", threads);
    want_left("/proc/self/fd", files);
    pthread_cancel(watcher);
    pthread_join(watcher, NULL);
    rostering_store_free(memory);
    sandbox_close(s);
    printf("%ld calls, %ld cancels, %ld faults\n", atomic_load(&calls), atomic_load(&cancels), atomic_load(&faults));
    return EXIT_SUCCESS;
}
