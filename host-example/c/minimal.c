/* Direct calls: libextism's C ABI alone. The plugin, ROSTERING_WASM, sends the requests through libextism. */
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of Extism's extism.h. */
typedef struct ExtismPlugin ExtismPlugin;
ExtismPlugin *extism_plugin_new(
    const uint8_t *wasm, uint64_t size, const void **functions, uint64_t n, bool wasi, char **error);
void extism_plugin_free(ExtismPlugin *plugin);
int32_t extism_plugin_call(ExtismPlugin *plugin, const char *name, const uint8_t *data, uint64_t size);
const char *extism_plugin_error(ExtismPlugin *plugin);
uint64_t extism_plugin_output_length(ExtismPlugin *plugin);
const uint8_t *extism_plugin_output_data(ExtismPlugin *plugin);

/* host_of returns the host of a URL: the plugin may send requests only to those that are listed. */
static json_t *host_of(const char *url) {
    const char *start = url != NULL ? strstr(url, "://") : NULL;
    return start != NULL ? json_stringn(start + 3, strcspn(start + 3, ":/")) : json_string("");
}

int main(void) {
    static const char *const names[][2] = {{"environment", "ROSTERING_ENVIRONMENT"}, {"auth_url", "ROSTERING_AUTH_URL"},
        {"base_url", "ROSTERING_BASE_URL"}, {"client_id", "ROSTERING_CLIENT_ID"},
        {"client_secret", "ROSTERING_CLIENT_SECRET"}, {"customer_id", "ROSTERING_CUSTOMER_ID"},
        {"user_id", "ROSTERING_USER_ID"}};
    json_t *config = json_object();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i][1]);
        if (value != NULL) json_object_set_new(config, names[i][0], json_string(value));
    }
    json_t *fields = json_pack("{s:[{s:s}], s:[o, o], s:o}", "wasm", "path", getenv("ROSTERING_WASM"), "allowed_hosts",
        host_of(getenv("ROSTERING_AUTH_URL")), host_of(getenv("ROSTERING_BASE_URL")), "config", config);
    char *manifest = json_dumps(fields, 0), *reason = NULL;
    json_decref(fields);
    if (manifest == NULL) return EXIT_FAILURE;
    const bool wasi = true; // for the clock
    ExtismPlugin *plugin = extism_plugin_new((const uint8_t *)manifest, strlen(manifest), NULL, 0, wasi, &reason);
    free(manifest);
    if (plugin == NULL) {
        fprintf(stderr, "%s\n", reason);
        return EXIT_FAILURE;
    }
    int32_t status = extism_plugin_call(plugin, "list_jobs", (const uint8_t *)"{}", 2);
    if (status == 0) {
        fwrite(extism_plugin_output_data(plugin), 1, extism_plugin_output_length(plugin), stdout);
    } else {
        fprintf(stderr, "%s\n", extism_plugin_error(plugin)); // the plugin's is a JSON object
    }
    extism_plugin_free(plugin);
    return status == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
