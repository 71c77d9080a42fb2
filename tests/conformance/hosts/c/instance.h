/* The instances that the adapter created, and what the plugin logged in each. */
#pragma once

#include <jansson.h>

#include "call.h"
#include "client.h"

/* An instance of the SDK, or a client of the library. It is kept until the end: a closed client is still called. */
typedef struct instance {
    struct instance *next;
    ExtismPlugin *plain;      /* NULL if closed */
    rostering_client *client; /* NULL if plain */
    rostering_store *store;
    json_t *logs;
    char uuid[ROSTERING_UUID_SIZE];
    char name[];
} instance;

/* Creates the instance that the request describes. */
bool instance_create(const json_t *request, rostering_error **error);

/* Returns the newest instance of that name, or NULL. */
instance *instance_find(const char *name);

/* Returns NULL once the instance is closed. */
ExtismPlugin *instance_plugin(const instance *i);

/* Forgets what was logged, when a call begins. */
void instance_clear_logs(instance *i);

/* Returns the lines since then. The caller owns them. */
json_t *instance_logs(instance *i);

void instances_free(void);
