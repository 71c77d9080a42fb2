/* The structs that callers fill, whose programs may be older than the library. */
#pragma once

#include "error.h"

/*
 * Copies the caller's struct over own, which has the defaults and may be longer. NULL is fine. Fails if
 * its _init was forgotten, or if it has fields that this library does not know.
 */
bool rostering_read_struct(
    void *own, size_t own_size, const void *given, const char *name, rostering_code code, rostering_error **error);

#define ROSTERING_READ(own, given, name, code, error)                                                                  \
    rostering_read_struct(own, sizeof *(own), given, name, code, error)
