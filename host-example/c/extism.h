/* The part of libextism's C ABI, version 1.41.0, that the programs use. Extism's own extism.h can replace it. */
#ifndef EXTISM_H
#define EXTISM_H

#include <stdbool.h>
#include <stdint.h>

typedef struct ExtismPlugin ExtismPlugin;
typedef struct ExtismFunction ExtismFunction;
typedef uint64_t ExtismSize;

const char *extism_version(void);

/* Makes an instance of a module, or of a manifest in JSON. wasm is not kept. Returns NULL on failure, and sets *errmsg
 * to the reason. */
ExtismPlugin *extism_plugin_new(const uint8_t *wasm, ExtismSize wasm_size, const ExtismFunction **functions,
    ExtismSize n_functions, bool with_wasi, char **errmsg);
void extism_plugin_new_error_free(char *err);
void extism_plugin_free(ExtismPlugin *plugin);

/*
 * Calls an export. data must not be NULL. Returns 0, 1 if the export set an error, or -1 if libextism failed, for
 * example because a request got no response. The output and the error belong to the instance until its next call.
 */
int32_t extism_plugin_call(ExtismPlugin *plugin, const char *func_name, const uint8_t *data, ExtismSize data_len);
const char *extism_plugin_error(ExtismPlugin *plugin);
ExtismSize extism_plugin_output_length(ExtismPlugin *plugin);
const uint8_t *extism_plugin_output_data(ExtismPlugin *plugin);

/* One log for the whole process, set up once: a buffer that extism_log_drain empties. */
bool extism_log_custom(const char *log_level);
void extism_log_drain(void (*handler)(const char *line, ExtismSize size));

#endif
