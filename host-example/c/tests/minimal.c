/* The program that README.md shows. */
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests.h"

/* beside gives the path of a file, as seen from the plugin's folder. */
static void beside(char *path, size_t size, const char *name) {
    char plugin[PATH_MAX];
    snprintf(plugin, sizeof plugin, "%s", plugin_path);
    snprintf(path, size, "%.3000s/../host-example/c/%s", dirname(plugin), name);
}

static void set_environment(const fixture *f, const char *secret) {
    setenv("ROSTERING_WASM", plugin_path, 1);
    setenv("ROSTERING_AUTH_URL", f->config.auth_url, 1);
    setenv("ROSTERING_BASE_URL", f->config.base_url, 1);
    setenv("ROSTERING_CLIENT_ID", f->config.client_id, 1);
    setenv("ROSTERING_CLIENT_SECRET", secret, 1);
    setenv("ROSTERING_CUSTOMER_ID", f->config.customer_id, 1);
    setenv("ROSTERING_USER_ID", f->config.user_id, 1);
}

static void want_shown(const char *start) {
    char command[PATH_MAX], shown[1024];
    beside(command, sizeof command, "build/minimal 2>&1");
    FILE *program = popen(command, "r");
    assert_non_null(program);
    size_t n = fread(shown, 1, sizeof shown - 1, program);
    shown[n] = '\0';
    assert_int_equal(pclose(program), 0);
    assert_true(n >= strlen(start));
    assert_memory_equal(shown, start, strlen(start));
}

static void it_shows_the_jobs(void **state) {
    fixture *f = *state;
    set_environment(f, f->config.client_secret);
    want_shown("[1]");
}

static void it_shows_an_error(void **state) {
    fixture *f = *state;
    set_environment(f, "");
    want_shown("rostering: config_missing: ");
}

static char *read_file(const char *name) {
    char path[PATH_MAX], *text = NULL;
    beside(path, sizeof path, name);
    FILE *file = fopen(path, "r");
    size_t size = 0;
    assert_non_null(file);
    assert_true(getdelim(&text, &size, '\0', file) > 0);
    fclose(file);
    return text;
}

/* Line by line, without the indentation in the program. */
static void readme_shows_it(void **state) {
    (void)state;
    char *program = read_file("minimal.c"), *readme = read_file("README.md");
    char *line = strstr(program, "    // snippet\n"), *end = strstr(program, "    // end of snippet\n");
    assert_true(line != NULL && end != NULL);
    *end = '\0';
    char *shown = strstr(readme, "\n## Use it\n\n```c\n");
    assert_non_null(shown);
    shown = strstr(shown, "```c\n");
    for (line = strchr(line, '\n') + 1; *line != '\0'; line = strchr(line, '\n') + 1) {
        size_t length = strcspn(line + 4, "\n") + 1;
        shown = strchr(shown, '\n') + 1;
        assert_memory_equal(shown, line + 4, length);
    }
    free(program);
    free(readme);
}

int run_minimal_tests(void) {
    const struct CMUnitTest tests[] = {
        DIRECT(it_shows_the_jobs),
        DIRECT(it_shows_an_error),
        cmocka_unit_test(readme_shows_it),
    };
    return cmocka_run_group_tests_name("minimal", tests, NULL, NULL);
}
