/*
 * What this example uses of libextism's C ABI, version 1.41.0. The same functions are what the SDKs for Ruby, PHP,
 * .NET, Elixir, Zig and others bind to. Extism's own extism.h can take the place of this file.
 */
#ifndef EXTISM_H
#define EXTISM_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ExtismPlugin ExtismPlugin;
typedef struct ExtismFunction ExtismFunction;
typedef uint64_t ExtismSize;
typedef void (*ExtismLogDrainFunctionType)(const char *data, ExtismSize size);

/* The library's version. */
const char *extism_version(void);

/*
 * Makes an instance of a plugin. wasm is a WebAssembly module or, as here, a manifest in JSON. The instance does not
 * keep it. NULL means that it failed; *errmsg is then the reason, to be freed with extism_plugin_new_error_free.
 */
ExtismPlugin *extism_plugin_new(const uint8_t *wasm, ExtismSize wasm_size, const ExtismFunction **functions,
    ExtismSize n_functions, bool with_wasi, char **errmsg);
void extism_plugin_new_error_free(char *err);
void extism_plugin_free(ExtismPlugin *plugin);

bool extism_plugin_function_exists(ExtismPlugin *plugin, const char *func_name);

/* Calls an export. data must not be NULL, even if data_len is 0. 0 means success; see client.c for the rest. */
int32_t extism_plugin_call(ExtismPlugin *plugin, const char *func_name, const uint8_t *data, ExtismSize data_len);

/* What came of the last call. All of it belongs to the instance, and is gone with the next call. */
const char *extism_plugin_error(ExtismPlugin *plugin);
ExtismSize extism_plugin_output_length(ExtismPlugin *plugin);
const uint8_t *extism_plugin_output_data(ExtismPlugin *plugin);

/*
 * One log for the whole process, set up once: into a file ("stderr" and "stdout" are known), or into a buffer, which
 * extism_log_drain empties. log_level is a level, or a filter such as extism::pdk=debug: what plugins say themselves.
 */
bool extism_log_file(const char *filename, const char *log_level);
bool extism_log_custom(const char *log_level);
void extism_log_drain(ExtismLogDrainFunctionType handler);

#ifdef __cplusplus
}
#endif

#endif
