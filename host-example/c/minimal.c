/* The direct form: libextism's C ABI alone. The plugin sends the requests, through libextism. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "extism.h"

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: %s MANIFEST, such as docs/manifest.json with rostering.wasm\n", argv[0]);
        return EXIT_FAILURE;
    }
    static char manifest[1 << 16];
    FILE *file = fopen(argv[1], "rb");
    size_t size = file != NULL ? fread(manifest, 1, sizeof manifest, file) : 0;
    if (file != NULL) fclose(file);
    char *reason = NULL;
    const bool wasi = true; // for the clock
    ExtismPlugin *plugin = extism_plugin_new((const uint8_t *)manifest, size, NULL, 0, wasi, &reason);
    if (plugin == NULL) {
        fprintf(stderr, "%s\n", reason);
        return EXIT_FAILURE;
    }
    int32_t status = extism_plugin_call(plugin, "list_jobs", (const uint8_t *)"{}", 2);
    if (status == 0) {
        fwrite(extism_plugin_output_data(plugin), 1, extism_plugin_output_length(plugin), stdout);
    } else {
        // 1: a JSON object with code, message … Otherwise a request got no answer; libextism's log has the reason.
        fprintf(stderr, "%s\n", extism_plugin_error(plugin));
    }
    extism_plugin_free(plugin);
    return status == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
