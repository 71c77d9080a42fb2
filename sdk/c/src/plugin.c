#include "plugin.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "error.h"

/* rostering-nowasi.wasm, as bytes of the library. */
__asm__(".section .rodata\n"
        ".globl rostering_wasm, rostering_wasm_size\n"
        ".hidden rostering_wasm, rostering_wasm_size\n"
        "rostering_wasm: .incbin \"" ROSTERING_WASM "\"\n"
        "0: .balign 8\n"
        "rostering_wasm_size: .quad 0b - rostering_wasm\n"
        ".previous\n");
extern const uint8_t rostering_wasm[];
extern const uint64_t rostering_wasm_size;

/* read_file returns NULL if the file cannot be read. */
static void *read_file(const char *name, size_t *size) {
    struct stat status;
    FILE *file = fopen(name, "rb");
    bool plain = file != NULL && fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode);
    *size = plain ? (size_t)status.st_size : 0;
    void *data = *size > 0 ? malloc(*size) : NULL;
    bool good = data != NULL && fread(data, 1, *size, file) == *size;
    if (file != NULL) fclose(file);
    if (good) return data;
    free(data);
    return NULL;
}

/* load makes the instance. Without a manifest, it may not send requests to any host. */
static bool load(rostering_plugin *plugin, const void *wasm, size_t size, rostering_error **error) {
    char *reason = NULL;
    plugin->extism = extism_plugin_new(wasm, size, NULL, 0, false, &reason);
    if (plugin->extism != NULL) return true;
    rostering_fail(error, ROSTERING_PLUGIN_FAILED, NULL, "the plugin cannot be loaded: %s", reason);
    extism_plugin_new_error_free(reason);
    return false;
}

static bool load_chosen(rostering_plugin *plugin, const rostering_options *options, rostering_error **error) {
    if (options->plugin != NULL) return load(plugin, options->plugin, options->plugin_size, error);
    if (options->plugin_file == NULL) return load(plugin, rostering_wasm, rostering_wasm_size, error);
    size_t size = 0;
    void *data = read_file(options->plugin_file, &size);
    bool good = data != NULL ? load(plugin, data, size, error)
                             : rostering_fail(error, ROSTERING_PLUGIN_FAILED, "plugin_file",
                                   "plugin_file is not a file that can be read: %s", options->plugin_file);
    free(data);
    return good;
}

/* check_contract fails unless the plugin has the contract of this library. */
static bool check_contract(rostering_plugin *plugin, rostering_error **error) {
    static const char remedy[] = "use the library from the plugin's release";
    json_t *version = NULL;
    json_int_t contract = 0;
    rostering_plugin_call(plugin, "version", "", &version, NULL);
    bool reported = json_unpack(version, "{s:I}", "contract", &contract) == 0;
    json_decref(version);
    if (contract == ROSTERING_CONTRACT) return true;
    if (reported) {
        return rostering_fail(error, ROSTERING_PLUGIN_FAILED, NULL,
            "the plugin has contract %lld, and this library needs contract %d: %s", (long long)contract,
            ROSTERING_CONTRACT, remedy);
    }
    return rostering_fail(error, ROSTERING_PLUGIN_FAILED, NULL,
        "the plugin does not report its contract, so it has contract 1 or is another plugin, and this library needs "
        "contract %d: %s",
        ROSTERING_CONTRACT, remedy);
}

bool rostering_plugin_open(
    rostering_plugin *plugin, const rostering_options *options, const json_t *config, rostering_error **error) {
    plugin->options = options;
    if (options->log != NULL && !rostering_log_open(error)) return false;
    if (!load_chosen(plugin, options, error)) return false;
    rostering_log_uuid(plugin->extism, plugin->uuid);
    pthread_mutex_init(&plugin->lock, NULL);
    rostering_kept_init(&plugin->kept);
    char *text = json_dumps(config, JSON_COMPACT);
    bool set = text != NULL && extism_plugin_config(plugin->extism, (const uint8_t *)text, strlen(text));
    free(text);
    bool good = (set || rostering_out_of_memory(error)) && check_contract(plugin, error) &&
                rostering_plugin_call(plugin, "check", "", NULL, error);
    if (!good) rostering_plugin_close(plugin);
    return good;
}

void rostering_plugin_close(rostering_plugin *plugin) {
    extism_plugin_free(plugin->extism);
    rostering_kept_clear(&plugin->kept);
    pthread_mutex_destroy(&plugin->lock);
}

/* fail_call reports the error that the export set, or else a plugin_failed. */
static bool fail_call(const char *text, rostering_error **error) {
    json_t *fields = text != NULL ? json_loads(text, JSON_ALLOW_NUL, NULL) : NULL;
    if (json_is_string(json_object_get(fields, "code")) && json_is_string(json_object_get(fields, "message"))) {
        return rostering_fail_with(error, fields);
    }
    json_decref(fields);
    int line = text != NULL ? (int)strcspn(text, "\n") : 0; /* addresses follow */
    return rostering_fail(error, ROSTERING_PLUGIN_FAILED, NULL, "the plugin failed: %.*s", line, text);
}

/* use calls an export. The lock is held. */
static bool use(
    rostering_plugin *plugin, const char *export, const char *input, json_t **output, rostering_error **error) {
    bool logs = rostering_log_begin();
    bool good = extism_plugin_call(plugin->extism, export, (const uint8_t *)input, strlen(input)) == 0;
    if (!good) fail_call(extism_plugin_error(plugin->extism), error);
    if (good && output != NULL) {
        const char *text = (const char *)extism_plugin_output_data(plugin->extism);
        *output = json_loadb(text, extism_plugin_output_length(plugin->extism), JSON_ALLOW_NUL, NULL);
    }
    if (logs) rostering_log_end(plugin->uuid, plugin->options);
    return good;
}

bool rostering_plugin_call(
    rostering_plugin *plugin, const char *export, const char *input, json_t **output, rostering_error **error) {
    pthread_mutex_lock(&plugin->lock);
    rostering_kept_drop(&plugin->kept); /* with the lock: a begin that came first could keep a step after it */
    bool good = use(plugin, export, input, output, error);
    pthread_mutex_unlock(&plugin->lock);
    return good;
}

bool rostering_plugin_begin(rostering_plugin *plugin, const char *input, json_t **output, rostering_error **error) {
    pthread_mutex_lock(&plugin->lock);
    bool good = use(plugin, "begin", input, output, error);
    pthread_mutex_unlock(&plugin->lock);
    return good;
}
