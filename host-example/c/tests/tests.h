/* What the tests share. */
#ifndef TESTS_H
#define TESTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rostering.h"
#include "service.h"

extern const char *plugin_path;

/* Each test has a service and a client for it. */
typedef struct fixture {
    service *service;
    rostering_config config;
    rostering *client;
    bool drives; /* which form of client it is */
} fixture;

int set_up_direct(void **state);
int set_up_driver(void **state);
int tear_down(void **state);

/* A test of one form of client, and of both. */
#define DIRECT(name)                                                                                                   \
    { #name, name, set_up_direct, tear_down, NULL }
#define DRIVER(name)                                                                                                   \
    { #name " (driver)", name, set_up_driver, tear_down, NULL }
#define BOTH(name) DIRECT(name), DRIVER(name)

/* Opens a client for f->config, of the fixture's form. The caller closes it. */
rostering *open_another(fixture *f);

/* Opens a client for f->config instead of the one that is open. */
void reopen(fixture *f);

/* Fails unless the jobs are listed. */
void want_jobs(fixture *f, const char *jobs);

/* Fails unless the last request has the line; the case of letters does not count. */
void want_line(fixture *f, const char *line);

/* Fails unless the call failed with code. The caller frees the error. */
rostering_error *want_error(rostering_error *error, const char *code);
rostering_error *want_jobs_error(fixture *f, const char *code);

/* The same, with the key at fault. */
void want_fault(rostering_error *error, const char *code, const char *key);

/* Gives what rostering_error_print prints, which the caller frees. */
char *printed(const rostering_error *error);

int run_call_tests(void);
int run_driver_tests(void);
int run_error_tests(void);
int run_minimal_tests(void);
int run_network_tests(void);
int run_open_tests(void);
int run_request_tests(void);
int run_token_tests(void);

#endif
