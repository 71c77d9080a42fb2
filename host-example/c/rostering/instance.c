#include "instance.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"

rostering_error *rostering_instance_open(rostering_instance *instance, const char *manifest) {
    char *reason = NULL;
    const bool wasi = true; /* the plugin's clock is the real one then */
    ExtismPlugin *plugin = extism_plugin_new((const uint8_t *)manifest, strlen(manifest), NULL, 0, wasi, &reason);
    if (plugin == NULL) {
        rostering_error *error = rostering_plugin_failed("the plugin could not be loaded", reason);
        extism_plugin_new_error_free(reason);
        return error;
    }
    if (!extism_plugin_function_exists(plugin, "list_jobs") || !extism_plugin_function_exists(plugin, "begin")) {
        extism_plugin_free(plugin);
        return rostering_plugin_failed("this is not the rostering plugin", NULL);
    }
    if (!rostering_turn_init(&instance->turn)) {
        extism_plugin_free(plugin);
        return rostering_out_of_memory();
    }
    instance->plugin = plugin;
    return NULL;
}

void rostering_instance_close(rostering_instance *instance) {
    extism_plugin_free(instance->plugin);
    rostering_turn_destroy(&instance->turn);
}

/* copy_output copies what is the instance's, and gone with its next call. */
static rostering_error *copy_output(ExtismPlugin *plugin, rostering_body *output) {
    size_t length = extism_plugin_output_length(plugin);
    char *data = malloc(length + 1);
    if (data == NULL) {
        return rostering_out_of_memory();
    }
    if (length > 0) {
        memcpy(data, extism_plugin_output_data(plugin), length);
    }
    data[length] = '\0';
    *output = (rostering_body){.data = data, .length = length};
    return NULL;
}

rostering_error *rostering_instance_call(
    rostering_instance *instance, const char *export, const json_t *input, rostering_body *output) {
    char *text = json_dumps(input, JSON_COMPACT);
    if (text == NULL) {
        return rostering_out_of_memory();
    }
    int32_t status = extism_plugin_call(instance->plugin, export, (const uint8_t *)text, strlen(text));
    free(text);
    return status == 0 ? copy_output(instance->plugin, output)
                       : rostering_call_error(status, extism_plugin_error(instance->plugin));
}
