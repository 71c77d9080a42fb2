/* The stores, each by itself and between clients. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests.h"

enum { TIMEOUT_MS = 30000 };

static char folder[] = TEMPORARY;
static char path[sizeof folder + 16];

static int make_folder(void **state) {
    (void)state;
    if (mkdtemp(folder) == NULL) return -1;
    snprintf(path, sizeof path, "%s/store", folder);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static void want_value(const rostering_store *store, const char *key, const char *want) {
    char *value = NULL;
    assert_true(store->get(store->context, TIMEOUT_MS, key, &value));
    if (want == NULL) assert_null(value);
    if (want != NULL) assert_string_equal(value, want);
    free(value);
}

static bool add(const rostering_store *store, const char *key, const char *value, int64_t ttl) {
    bool added;
    assert_true(store->add(store->context, TIMEOUT_MS, key, value, ttl, &added));
    return added;
}

static void want_store(rostering_store *store) {
    assert_non_null(store);
    want_value(store, "a/b:c", NULL);
    assert_true(add(store, "a/b:c", "\"1\n", 100));
    assert_false(add(store, "a/b:c", "2", 100));
    want_value(store, "a/b:c", "\"1\n");
    assert_true(store->set(store->context, TIMEOUT_MS, "a/b:c", "3", 100));
    want_value(store, "a/b:c", "3");
    assert_true(add(store, "other", "4", 100));
    assert_true(store->set(store->context, TIMEOUT_MS, "a/b:c", "5", 0)); /* which expires at once */
    want_value(store, "a/b:c", NULL);
    assert_true(add(store, "a/b:c", "6", 100));
    want_value(store, "other", "4");
    rostering_store_free(store);
}

static void a_store_in_memory(void **state) {
    (void)state;
    want_store(rostering_memory_store_new());
    rostering_store_free(NULL);
}

static void a_store_in_a_file(void **state) {
    (void)state;
    struct stat about;
    want_store(rostering_file_store_new(path));
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
    rostering_store *store = rostering_file_store_new(path);
    want_value(store, "a/b:c", "6"); /* it outlives the process */
    assert_int_equal(truncate(path, 5), 0);
    want_value(store, "a/b:c", NULL);
    want_store(store); /* a broken file is replaced */
}

static void a_file_that_cannot_be_written_fails(void **state) {
    (void)state;
    rostering_store *store = rostering_file_store_new("/proc/none/store");
    char *value;
    bool added;
    assert_false(store->get(store->context, TIMEOUT_MS, "key", &value));
    assert_null(value);
    assert_false(store->add(store->context, TIMEOUT_MS, "key", "value", 1, &added));
    assert_false(store->set(store->context, TIMEOUT_MS, "key", "value", 1));
    rostering_store_free(store);
}

/* Each process, and each store in it, may add a key; one does. */
static void processes_add_a_key_once(void **state) {
    (void)state;
    enum { PROCESSES = 4, KEYS = 25 };
    pid_t children[PROCESSES];
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            int n = 0;
            rostering_store *store = rostering_file_store_new(path);
            for (int k = 0; k < KEYS; k++) n += add(store, (char[]){'k', (char)('a' + k), '\0'}, "value", 100);
            rostering_store_free(store);
            _exit(n);
        }
    }
    int added = 0;
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_true(WIFEXITED(status));
        added += WEXITSTATUS(status);
    }
    assert_int_equal(added, KEYS);
}

static void want_sharing(fixture *f, rostering_store *store) {
    f->options.store = store;
    reopen(f);
    rostering *other = open_another(f);
    want_jobs(f->client);
    want_jobs(other);
    assert_int_equal(sandbox_requests(f->sandbox, AUTH), 1);
    rostering_free(other);
    rostering_close(f->client);
    rostering_store_free(store);
}

static void clients_share_a_token_in_memory(void **state) {
    want_sharing(*state, rostering_memory_store_new());
}

static void clients_share_a_token_in_a_file(void **state) {
    want_sharing(*state, rostering_file_store_new(path));
}

int run_store_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_store_in_memory),
        cmocka_unit_test(a_store_in_a_file),
        cmocka_unit_test(a_file_that_cannot_be_written_fails),
        cmocka_unit_test(processes_add_a_key_once),
        TEST(clients_share_a_token_in_memory),
        TEST(clients_share_a_token_in_a_file),
    };
    return cmocka_run_group_tests_name("stores", tests, make_folder, remove_folder);
}
