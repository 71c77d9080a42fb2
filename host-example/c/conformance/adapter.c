/*
 * The host adapter for libextism's C ABI: one JSON object a line on standard input, one answer a line on standard
 * output. A call uses nothing but the ABI, because that is what other languages bind to; drive is the library's driver.
 */
#include <curl/curl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base64.h"
#include "deadline.h"
#include "drive.h"
#include "extism.h"

typedef struct instance {
    struct instance *next;
    rostering_instance driven;
    char name[];
} instance;

static instance *instances;
static json_t *logs; /* of the call under way */
static rostering_http *http;

static instance **find(const char *name) {
    instance **place = &instances;
    while (*place != NULL && strcmp((*place)->name, name) != 0) {
        place = &(*place)->next;
    }
    return place;
}

static json_t *trap(const char *text) {
    return json_pack("{s:s}", "trap", text != NULL ? text : "no reason given");
}

static void close_instance(instance **place) {
    instance *closed = *place;
    *place = closed->next;
    rostering_instance_close(&closed->driven);
    free(closed);
}

static ExtismPlugin *new_plugin(json_t *request, char **reason) {
    json_t *manifest = json_pack("{s:[{s:O}], s:O*, s:O*}", "wasm", "path", json_object_get(request, "wasm"), "config",
        json_object_get(request, "config"), "allowed_hosts", json_object_get(request, "allowed_hosts"));
    char *text = json_dumps(manifest, JSON_COMPACT);
    json_decref(manifest);
    if (text == NULL) {
        return NULL;
    }
    bool wasi = json_is_true(json_object_get(request, "wasi"));
    ExtismPlugin *plugin = extism_plugin_new((const uint8_t *)text, strlen(text), NULL, 0, wasi, reason);
    free(text);
    return plugin;
}

static json_t *create(json_t *request, const char *name) {
    char *reason = NULL;
    ExtismPlugin *plugin = new_plugin(request, &reason);
    if (plugin == NULL) {
        json_t *answer = trap(reason);
        extism_plugin_new_error_free(reason);
        return answer;
    }
    instance *made = malloc(sizeof *made + strlen(name) + 1);
    if (made == NULL || !rostering_turn_init(&made->driven.turn)) {
        abort();
    }
    strcpy(made->name, name);
    made->driven.plugin = plugin;
    made->next = instances;
    instances = made;
    return json_object();
}

/* keep_log keeps a line such as: 2025-01-31T12:00:00.123456Z DEBUG extism::pdk: HTTP 200 to … plugin="…" */
static void keep_log(const char *line, ExtismSize length) {
    static const char target[] = " extism::pdk: ";
    const char *text = strstr(line, target);
    if (text == NULL) {
        return;
    }
    const char *level = text - line > 5 && strncmp(text - 5, " WARN", 5) == 0 ? "warn" : "debug";
    text += strlen(target);
    const char *end = strstr(text, " plugin=\"");
    size_t n = end != NULL ? (size_t)(end - text) : (size_t)(line + length - text);
    json_array_append_new(logs, json_pack("{s:s, s:s%}", "level", level, "line", text, n));
}

static json_t *output(const void *data, size_t length) {
    char *text = base64_encode(data, length);
    json_t *answer = json_pack("{s:s}", "output", text);
    free(text);
    return answer;
}

/* The status is 1 where the export itself returned it, after it set an error. Any other but 0 is a trap. */
static json_t *call(instance *i, const char *export, const uint8_t *input, size_t length) {
    ExtismPlugin *plugin = i->driven.plugin;
    int32_t status = extism_plugin_call(plugin, export, input, length);
    if (status == 0) {
        return output(extism_plugin_output_data(plugin), extism_plugin_output_length(plugin));
    }
    return status == 1 ? json_pack("{s:s}", "error", extism_plugin_error(plugin)) : trap(extism_plugin_error(plugin));
}

/* plugin_error gives the plugin's own error, which the library keeps as it was. */
static json_t *plugin_error(const rostering_error *error) {
    if (strcmp(error->code, ROSTERING_PLUGIN_FAILED) == 0) {
        return trap(error->cause != NULL ? error->cause : error->message);
    }
    char *text = json_dumps(error->memory, JSON_COMPACT);
    json_t *answer = json_pack("{s:s}", "error", text);
    free(text);
    return answer;
}

static bool is_blank(const uint8_t *input, size_t length) {
    while (length > 0 && memchr(" \t\r\n", input[length - 1], 4) != NULL) {
        length--;
    }
    return length == 0;
}

static json_t *drive(instance *i, const char *export, const uint8_t *input, size_t length) {
    json_t *fields = is_blank(input, length) ? json_object() : json_loadb((const char *)input, length, 0, NULL);
    rostering_body body = {0};
    rostering_error *error = rostering_drive(&i->driven, http, export, fields, rostering_deadline(0), &body);
    json_t *answer = error != NULL ? plugin_error(error) : output(body.data, body.length);
    rostering_error_free(error);
    rostering_body_free(&body);
    return answer;
}

/* run runs call or drive. */
static json_t *run(json_t *(*how)(instance *, const char *, const uint8_t *, size_t), instance *i, json_t *request) {
    const char *export = json_string_value(json_object_get(request, "export"));
    const char *base64 = json_string_value(json_object_get(request, "input"));
    size_t length = 0;
    uint8_t *input = base64_decode(base64 != NULL ? base64 : "", &length);
    if (export == NULL || input == NULL) {
        free(input);
        return trap("no export, or no base64");
    }
    logs = json_array();
    json_t *answer = how(i, export, input, length);
    free(input);
    extism_log_drain(keep_log);
    if (answer == NULL) {
        answer = trap("the answer is no UTF-8");
    }
    json_object_set_new(answer, "logs", logs);
    return answer;
}

static json_t *versions(void) {
    json_t *text =
        json_sprintf("libextism %s, libcurl %s", extism_version(), curl_version_info(CURLVERSION_NOW)->version);
    return json_pack("{s:o}", "versions", text);
}

static json_t *handle(json_t *request) {
    const char *op = NULL, *name = "";
    if (json_unpack(request, "{s:s, s?s}", "op", &op, "instance", &name) != 0) {
        return trap("no operation");
    }
    if (strcmp(op, "versions") == 0) {
        return versions();
    }
    instance **place = find(name);
    if (strcmp(op, "create") == 0) {
        return create(request, name);
    }
    if (*place == NULL) {
        return trap("no such instance");
    }
    if (strcmp(op, "call") == 0) {
        return run(call, *place, request);
    }
    if (strcmp(op, "drive") == 0) {
        return run(drive, *place, request);
    }
    if (strcmp(op, "close") == 0) {
        close_instance(place);
        return json_object();
    }
    return trap("no such operation");
}

int main(void) {
    extism_log_custom("extism::pdk=debug");
    setenv("NO_PROXY", "127.0.0.1", 1); /* libextism would ask a proxy even for loopback */
    http = rostering_http_new(&(rostering_config){0});
    if (http == NULL) {
        abort();
    }
    json_t *request;
    while ((request = json_loadf(stdin, JSON_DISABLE_EOF_CHECK, NULL)) != NULL) {
        json_t *answer = handle(request);
        json_dumpf(answer, stdout, JSON_COMPACT);
        putchar('\n');
        fflush(stdout);
        json_decref(answer);
        json_decref(request);
    }
    while (instances != NULL) {
        close_instance(&instances);
    }
    rostering_http_free(http);
    return feof(stdin) ? 0 : 1;
}
