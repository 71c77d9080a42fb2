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
} fixture;

int set_up(void **state);
int tear_down(void **state);

/* Opens a client for f->config instead of the one that is open. */
void reopen(fixture *f);

/* Fails unless the jobs are listed. */
void want_jobs(fixture *f, const char *jobs);

/* Fails unless the call failed with code. The caller frees the error. */
rostering_error *want_error(rostering_error *error, const char *code);
rostering_error *want_jobs_error(fixture *f, const char *code);

/* Gives what rostering_error_print prints, which the caller frees. */
char *printed(const rostering_error *error);

int run_call_tests(void);
int run_error_tests(void);
int run_network_tests(void);
int run_open_tests(void);

#endif
