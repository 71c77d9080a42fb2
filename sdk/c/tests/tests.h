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

/* A sandbox and a client for it. */
typedef struct fixture {
    sandbox *sandbox;
    rostering_config config;
    rostering_options options;
    rostering_client *client;
} fixture;

int set_up(void **state);
int tear_down(void **state);

#define TEST(name)                                                                                                     \
    { #name, name, set_up, tear_down, NULL }

/* Opens a client with the fixture's config and options. The caller frees it. */
rostering_client *open_another(const fixture *f);

/* The same, in place of the one that is open. */
void reopen(fixture *f);

/* Opens a client that fails, and returns the error, which the caller frees. */
rostering_error *open_error(const rostering_config *config, const rostering_options *options);

/* The defaults. */
rostering_config new_config(void);
rostering_options new_options(void);
rostering_request new_request(const char *method, const char *path);

/* A call with a timeout, unless that is 0, and a handle, which may be NULL. */
rostering_call new_call(int64_t timeout_ms, rostering_cancel *cancel);

/* Lists the jobs, and returns the error or NULL. The caller frees it. */
rostering_error *list_jobs(rostering_client *client, const rostering_call *call);

/* Fails unless the client lists the jobs. */
void want_jobs(rostering_client *client);

/* Fails unless the last request has this method, target, body or header, named in lower case. NULL: no such header. */
void want_sent(fixture *f, const char *name, const char *value);

/* Fails unless the string contains the part. */
void want_part(const char *text, const char *part);

/* Fails unless the error has this code, and key unless that is NULL. Frees it. */
void want_error(rostering_error *error, rostering_code code, const char *key);

/* Fails unless listing the jobs fails with code. The caller frees the error. */
rostering_error *want_no_jobs(rostering_client *client, rostering_code code);

/*
 * Returns the source of a plugin that loads, whose exports return these strings; NULL traps. The caller frees it. Its
 * check accepts any config.
 */
char *fake_plugin(const char *version, const char *begin, const char *resume);

/* The version of a plugin that this library opens. */
extern const char own_version[];

/* Runs in its own process, since each has one log. Returns 0 if the client was refused. */
int open_with_the_log_taken(void);

int run_open_tests(void);
int run_call_tests(void);
int run_error_tests(void);
int run_log_tests(void);
int run_request_tests(void);
int run_retry_tests(void);
int run_store_tests(void);
int run_thread_tests(void);
int run_tls_tests(void);
