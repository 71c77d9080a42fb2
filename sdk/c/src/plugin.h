/* An instance of the plugin. */
#pragma once

#include "kept.h"
#include "log.h"

typedef struct rostering_plugin {
    ExtismPlugin *extism;
    pthread_mutex_t lock; /* held during a call and while its output is read */
    rostering_kept kept;
    const rostering_options *options; /* only log is used after opening */
    char uuid[ROSTERING_UUID_SIZE];
} rostering_plugin;

/* Loads the plugin of the options, which must outlive it, and has it check the config, a JSON object of strings. */
bool rostering_plugin_open(
    rostering_plugin *plugin, const rostering_options *options, const json_t *config, rostering_error **error);
void rostering_plugin_close(rostering_plugin *plugin);

/* Drops the kept steps and calls an export. output may be NULL; *output is NULL if the export's is empty. */
bool rostering_plugin_call(
    rostering_plugin *plugin, const char *export, const char *input, json_t **output, rostering_error **error);

/* The same without dropping them, for a begin without refused, which changes nothing that they depend on. */
bool rostering_plugin_begin(rostering_plugin *plugin, const char *input, json_t **output, rostering_error **error);
