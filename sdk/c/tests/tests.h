/* What the tests share. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "rostering.h"
#include "sandbox.h"

/* A name for mkdtemp or mkstemp, in the system's folder for temporary files. */
#define TEMPORARY P_tmpdir "/rostering-test-XXXXXX"

/* A sandbox, and a client for it. */
typedef struct fixture {
    sandbox *sandbox;
    rostering_config config;
    rostering_options options;
    rostering *client;
} fixture;

int set_up(void **state);
int tear_down(void **state);

#define TEST(name)                                                                                                     \
    { #name, name, set_up, tear_down, NULL }

/* Opens a client with the fixture's config and options. The caller frees it. */
rostering *open_another(const fixture *f);

/* The same, in place of the one that is open. */
void reopen(fixture *f);

/* Fails unless the client lists the jobs. */
void want_jobs(rostering *client);

/* Fails unless the last request has this method, target, body or header, named in lower case. NULL: no such header. */
void want_sent(fixture *f, const char *name, const char *value);

/* Fails unless the error has this code. The caller frees it. */
void want_code(const rostering_error *error, rostering_code code);

/* The same, and frees it. */
void want_error(rostering_error *error, rostering_code code);

/* Fails unless listing the jobs fails with code. The caller frees the error. */
rostering_error *want_no_jobs(rostering *client, rostering_code code);

/*
 * Returns the text of a plugin that loads, whose exports put out these texts; NULL traps. The caller frees it. Its
 * check accepts all.
 */
char *fake_plugin(const char *version, const char *begin, const char *resume);

/* The version of a plugin that this library opens. */
extern const char own_version[];

/* A process of its own, since there is one log for each. Returns 0 if the client was refused. */
int open_with_the_log_taken(void);

int run_client_tests(void);
int run_error_tests(void);
int run_log_tests(void);
int run_open_tests(void);
int run_request_tests(void);
int run_store_tests(void);
int run_thread_tests(void);
