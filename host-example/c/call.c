/* What the verb call of minimal does: it reads calls of the plugin, each a JSON object on a line, and writes how they
 * end. Bytes are in base64. */
#include <jansson.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "extism.h"

int make_calls(void);

typedef struct instance {
    struct instance *next;
    char *name;
    ExtismPlugin *plugin;
} instance;

static instance *instances;
static json_t *logs; /* of the call */

/* keep_line keeps what the plugin logged of a line such as: TIME DEBUG extism::pdk: WHAT plugin="ID" */
static void keep_line(const char *line, ExtismSize size) {
    static const char target[] = " extism::pdk: ", id[] = " plugin=\"";
    char *copy = strndup(line, size), *start = strstr(copy, target), *end = NULL;
    for (char *next = start; next != NULL && (next = strstr(next, id)) != NULL; next++) end = next;
    if (end != NULL) {
        *start = *end = '\0';
        const char *level = strstr(copy, "WARN") != NULL ? "warn" : "debug", *what = start + strlen(target);
        json_array_append_new(logs, json_pack("{s:s, s:s}", "level", level, "line", what));
    }
    free(copy);
}

static void create(const json_t *request, const char *name, json_t *response) {
    json_t *manifest = json_pack("{s:[{s:O}], s:O*, s:O*}", "wasm", "path", json_object_get(request, "wasm"), "config",
        json_object_get(request, "config"), "allowed_hosts", json_object_get(request, "allowed_hosts"));
    char *text = json_dumps(manifest, 0), *reason = NULL;
    bool wasi = json_is_true(json_object_get(request, "wasi"));
    ExtismPlugin *plugin = extism_plugin_new((uint8_t *)text, strlen(text), NULL, 0, wasi, &reason);
    free(text);
    json_decref(manifest);
    if (plugin == NULL) {
        json_object_set_new(response, "trap", json_string(reason));
        extism_plugin_new_error_free(reason);
        return;
    }
    instance *made = malloc(sizeof *made);
    *made = (instance){.next = instances, .name = strdup(name), .plugin = plugin};
    instances = made;
}

static void call(ExtismPlugin *plugin, const json_t *request, json_t *response) {
    const char *export = json_string_value(json_object_get(request, "export"));
    const char *encoded = json_string_value(json_object_get(request, "input"));
    if (encoded == NULL) encoded = "";
    size_t size = strlen(encoded), length = size / 4 * 3 - strlen(strchrnul(encoded, '='));
    unsigned char *input = malloc(size + 1);
    EVP_DecodeBlock(input, (const unsigned char *)encoded, (int)size);
    logs = json_array();
    int32_t status = extism_plugin_call(plugin, export, input, length);
    free(input);
    if (status != 0) {
        const char *text = extism_plugin_error(plugin); /* the plugin's own is a JSON object */
        json_object_set_new(response, *text == '{' ? "error" : "trap", json_string(text));
    } else {
        length = extism_plugin_output_length(plugin);
        unsigned char *output = malloc(length / 3 * 4 + 5);
        EVP_EncodeBlock(output, extism_plugin_output_data(plugin), (int)length);
        json_object_set_new(response, "output", json_string((char *)output));
        free(output);
    }
    extism_log_drain(keep_line);
    json_object_set_new(response, "logs", logs);
}

int make_calls(void) {
    char *line = NULL;
    size_t size = 0;
    extism_log_custom("extism::pdk=debug");
    for (; getline(&line, &size, stdin) > 0; fflush(stdout)) {
        json_t *request = json_loads(line, 0, NULL), *response = json_object();
        const char *op = json_string_value(json_object_get(request, "op"));
        const char *name = json_string_value(json_object_get(request, "instance"));
        json_object_set(response, "id", json_object_get(request, "id"));
        instance **place = &instances, *found;
        while (name != NULL && *place != NULL && strcmp((*place)->name, name) != 0) place = &(*place)->next;
        found = *place;
        if (strcmp(op, "versions") == 0) {
            json_object_set_new(
                response, "versions", json_sprintf("gcc %s, libextism %s", __VERSION__, extism_version()));
        } else if (strcmp(op, "create") == 0) {
            create(request, name, response);
        } else if (found == NULL) {
            json_object_set_new(response, "trap", json_string("no such instance"));
        } else if (strcmp(op, "call") == 0) {
            call(found->plugin, request, response);
        } else {
            *place = found->next;
            extism_plugin_free(found->plugin);
            free(found->name);
            free(found);
        }
        json_dumpf(response, stdout, JSON_COMPACT);
        putchar('\n');
        json_decref(response);
        json_decref(request);
    }
    free(line);
    return EXIT_SUCCESS;
}
