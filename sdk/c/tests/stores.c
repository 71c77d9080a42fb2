/* The stores, alone and between clients. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests.h"

enum { TIMEOUT_MS = 30000 };

static char folder[sizeof TEMPORARY];
static char path[sizeof folder + 16];

static int make_folder(void **state) {
    (void)state;
    strcpy(folder, TEMPORARY);
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

static rostering_store *open_file_store(void) {
    rostering_store *store = NULL;
    rostering_error *error = NULL;
    if (!rostering_file_store_new(path, &store, &error)) fail_msg("%s", error->text);
    return store;
}

static void want_value(const rostering_store *store, const char *key, const char *want) {
    char *value = NULL;
    assert_int_equal(store->get(store->context, TIMEOUT_MS, key, &value), 0);
    assert_string_equal(value != NULL ? value : "(none)", want != NULL ? want : "(none)");
    free(value);
}

static bool add(const rostering_store *store, const char *key, const char *value, int64_t ttl) {
    bool added;
    assert_int_equal(store->add(store->context, TIMEOUT_MS, key, value, ttl, &added), 0);
    return added;
}

static void set(const rostering_store *store, const char *key, const char *value, int64_t ttl) {
    assert_int_equal(store->set(store->context, TIMEOUT_MS, key, value, ttl), 0);
}

static void want_store(rostering_store *store) {
    assert_non_null(store);
    want_value(store, "a/b:c", NULL);
    assert_true(add(store, "a/b:c", "\"1\n", 100));
    assert_false(add(store, "a/b:c", "2", 100));
    want_value(store, "a/b:c", "\"1\n");
    set(store, "a/b:c", "3", 100);
    want_value(store, "a/b:c", "3");
    assert_true(add(store, "other", "4", 100));
    set(store, "a/b:c", "5", 0); /* expires at once */
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

static void a_store_in_a_folder(void **state) {
    (void)state;
    struct stat about;
    want_store(open_file_store());
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 07777, 0700);
    rostering_store *store = open_file_store();
    want_value(store, "a/b:c", "6"); /* the folder outlives the store */
    rostering_store_free(store);
}

/* HASH of the key "key". */
#define HASH "2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683"

/* place writes a file that was last changed so many seconds ago. */
static void place(const char *name, const char *content, int seconds) {
    char file[sizeof path + 128];
    snprintf(file, sizeof file, "%s/%s", path, name);
    int descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(descriptor >= 0 && write(descriptor, content, strlen(content)) == (ssize_t)strlen(content));
    const struct timespec times[] = {{.tv_nsec = UTIME_NOW}, {.tv_sec = time(NULL) - seconds}};
    assert_int_equal(futimens(descriptor, times), 0);
    close(descriptor);
}

static bool exists(const char *name) {
    char file[sizeof path + 128];
    snprintf(file, sizeof file, "%s/%s", path, name);
    return access(file, F_OK) == 0;
}

static int count_files(void) {
    DIR *names = opendir(path);
    assert_non_null(names);
    int n = 0;
    while (readdir(names) != NULL) n++;
    closedir(names);
    return n - 2; /* . and .. */
}

#define LATER "99999999999999"

static void the_files_are_those_of_all_languages(void **state) {
    (void)state;
    rostering_store *store = open_file_store();
    place(HASH, LATER "\nfrom another\nlanguage \xc3\xbc", 0);
    place(HASH ".tmp.12", LATER "\nhalf of a", 0);
    place(HASH ".tmp.34", LATER "\nabandoned", 61);
    want_value(store, "key", "from another\nlanguage \xc3\xbc");
    set(store, "key", "mine", 100);
    want_value(store, "key", "mine");
    assert_true(exists(HASH ".tmp.12") && !exists(HASH ".tmp.34"));
    struct stat about;
    char file[sizeof path + 128], text[64] = "";
    snprintf(file, sizeof file, "%s/%s", path, HASH);
    assert_int_equal(stat(file, &about), 0);
    assert_int_equal(about.st_mode & 07777, 0600);
    FILE *content = fopen(file, "r");
    assert_true(content != NULL && fread(text, 1, sizeof text - 1, content) > 0);
    fclose(content);
    char *rest;
    long long left = strtoll(text, &rest, 10) - 1000 * (long long)time(NULL);
    assert_true(left > 90000 && left <= 101000);
    assert_string_equal(rest, "\nmine");
    rostering_store_free(store);
}

static void a_malformed_file_is_no_value(void **state) {
    (void)state;
    static const char *const contents[] = {"", "1", LATER, "\nvalue", "x\nvalue", "-1\nvalue", "1\nexpired"};
    rostering_store *store = open_file_store();
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
        place(HASH, contents[i], 0);
        want_value(store, "key", NULL);
        assert_true(add(store, "key", "new", 100));
        want_value(store, "key", "new");
    }
    rostering_store_free(store);
}

static void a_folder_that_cannot_be_used_is_refused(void **state) {
    (void)state;
    char file[sizeof path + 16];
    snprintf(file, sizeof file, "%s-file", path);
    fclose(fopen(file, "w"));
    const char *const invalid[] = {"/proc/none/store", file};
    for (size_t i = 0; i < 2; i++) {
        rostering_store *store;
        rostering_error *error = NULL;
        assert_false(rostering_file_store_new(invalid[i], &store, &error));
        assert_null(store);
        want_part(error->message, invalid[i]);
        want_error(error, ROSTERING_STORE_FAILED, NULL);
    }
}

static void a_folder_that_is_gone_fails(void **state) {
    (void)state;
    rostering_store *store = open_file_store();
    char *value = NULL;
    bool added;
    assert_int_equal(remove_folder(state), 0);
    assert_int_not_equal(store->add(store->context, TIMEOUT_MS, "key", "value", 1, &added), 0);
    assert_false(added);
    assert_int_not_equal(store->set(store->context, TIMEOUT_MS, "key", "value", 1), 0);
    assert_int_equal(store->get(store->context, TIMEOUT_MS, "key", &value), 0); /* the list is empty */
    assert_null(value);
    rostering_store_free(store);
    assert_int_equal(make_folder(state), 0);
}

/* What another process does just before this one links a file: the linker redirects linkat to here. */
static void (*before_link)(void);

int __real_linkat(int from_folder, const char *from, int to_folder, const char *to, int flags);
int __wrap_linkat(int from_folder, const char *from, int to_folder, const char *to, int flags);
int __wrap_linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
    void (*other)(void) = before_link;
    before_link = NULL;
    if (other != NULL) other();
    return __real_linkat(from_folder, from, to_folder, to, flags);
}

static void set_once(void) {
    rostering_store *other = open_file_store();
    set(other, "key", "of another", 100);
    rostering_store_free(other);
}

static void another_process_is_faster(void **state) {
    (void)state;
    rostering_store *store = open_file_store();
    set(store, "key", "expired", 0);
    int before = count_files();
    before_link = set_once;
    assert_false(add(store, "key", "mine", 100));
    want_value(store, "key", "of another");
    assert_int_equal(count_files(), before);
    rostering_store_free(store);
}

/* All processes try to add each key; one succeeds. */
static void processes_add_a_key_once(void **state) {
    (void)state;
    enum { PROCESSES = 4, KEYS = 25 };
    pid_t children[PROCESSES];
    int gate[2];
    char none;
    int before = count_files();
    assert_int_equal(pipe(gate), 0);
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            int n = 0;
            rostering_store *own = open_file_store();
            close(gate[1]);
            (void)!read(gate[0], &none, 1); /* until all have started */
            for (int k = 0; k < KEYS; k++) n += add(own, (char[]){'k', (char)('a' + k), '\0'}, "value", 100);
            _exit(n);
        }
    }
    int added = 0;
    close(gate[0]);
    close(gate[1]);
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_true(WIFEXITED(status));
        added += WEXITSTATUS(status);
    }
    assert_int_equal(added, KEYS);
    assert_int_equal(count_files() - before, KEYS); /* nothing is left behind */
}

static void want_sharing(fixture *f, rostering_store *store) {
    f->options.store = store;
    reopen(f);
    rostering_client *other = open_another(f);
    want_jobs(f->client);
    want_jobs(other);
    assert_int_equal(sandbox_requests(f->sandbox, AUTH), 1);
    rostering_client_free(other);
    rostering_client_free(f->client);
    f->client = NULL;
    rostering_store_free(store);
}

static void clients_share_a_token_in_memory(void **state) {
    want_sharing(*state, rostering_memory_store_new());
}

static void clients_share_a_token_in_a_folder(void **state) {
    want_sharing(*state, open_file_store());
}

int run_store_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_store_in_memory),
        cmocka_unit_test(a_store_in_a_folder),
        cmocka_unit_test(the_files_are_those_of_all_languages),
        cmocka_unit_test(a_malformed_file_is_no_value),
        cmocka_unit_test(a_folder_that_cannot_be_used_is_refused),
        cmocka_unit_test(another_process_is_faster),
        cmocka_unit_test(processes_add_a_key_once),
        cmocka_unit_test(a_folder_that_is_gone_fails),
        TEST(clients_share_a_token_in_memory),
        TEST(clients_share_a_token_in_a_folder),
    };
    return cmocka_run_group_tests_name("stores", tests, make_folder, remove_folder);
}
