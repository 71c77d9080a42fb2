/* Direct calls: libextism's C ABI alone. The plugin sends the requests, through libextism. `minimal call` makes the
 * calls that it reads: see call.c. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "extism.h"

int make_calls(void);

/* read_config returns the variables that are set. */
static json_t *read_config(void) {
    static const char *const names[][2] = {
        {"environment", "ROSTERING_ENVIRONMENT"},
        {"auth_url", "ROSTERING_AUTH_URL"},
        {"base_url", "ROSTERING_BASE_URL"},
        {"client_id", "ROSTERING_CLIENT_ID"},
        {"client_secret", "ROSTERING_CLIENT_SECRET"},
        {"customer_id", "ROSTERING_CUSTOMER_ID"},
        {"user_id", "ROSTERING_USER_ID"},
    };
    json_t *config = json_object();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i][1]);
        if (value != NULL) json_object_set_new(config, names[i][0], json_string(value));
    }
    return config;
}

/* host_of returns the host of a URL of the config: the plugin may send requests only to hosts that are listed. */
static json_t *host_of(const json_t *config, const char *name) {
    const char *url = json_string_value(json_object_get(config, name));
    const char *start = url != NULL ? strstr(url, "://") : NULL;
    return start != NULL ? json_stringn(start + 3, strcspn(start + 3, ":/")) : json_string("");
}

/* print_error prints the plugin's own error, a JSON object. Any other text is the SDK's: most likely, a request got no
 * response. */
static void print_error(const char *text) {
    const char *code = NULL, *message = NULL;
    json_t *error = json_loads(text, 0, NULL);
    if (json_unpack(error, "{s:s, s:s}", "code", &code, "message", &message) == 0) {
        fprintf(stderr, "%s: %s\n", code, message);
    } else {
        fputs("network_error: no response? check auth_url and base_url; libextism's log has the reason\n", stderr);
    }
    json_decref(error);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: %s dist/rostering.wasm|call\n", argv[0]);
        return EXIT_FAILURE;
    }
    if (strcmp(argv[1], "call") == 0) return make_calls();
    json_t *config = read_config();
    json_t *fields = json_pack("{s:[{s:s}], s:[o, o], s:o}", "wasm", "path", argv[1], "allowed_hosts",
        host_of(config, "auth_url"), host_of(config, "base_url"), "config", config);
    char *manifest = json_dumps(fields, 0), *reason = NULL;
    json_decref(fields);
    if (manifest == NULL) return EXIT_FAILURE;
    // snippet
    const bool wasi = true; // for the clock
    ExtismPlugin *plugin = extism_plugin_new((const uint8_t *)manifest, strlen(manifest), NULL, 0, wasi, &reason);
    free(manifest);
    if (plugin == NULL) {
        fprintf(stderr, "plugin_failed: %s\n", reason);
        extism_plugin_new_error_free(reason);
        return EXIT_FAILURE;
    }
    int32_t status = extism_plugin_call(plugin, "list_jobs", (const uint8_t *)"{}", 2);
    if (status == 0) {
        fwrite(extism_plugin_output_data(plugin), 1, extism_plugin_output_length(plugin), stdout);
    } else {
        print_error(extism_plugin_error(plugin));
    }
    // end of snippet
    extism_plugin_free(plugin);
    return status == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
