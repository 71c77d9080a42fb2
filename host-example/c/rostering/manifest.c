#include "manifest.h"

#include <ctype.h>
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "deadline.h"
#include "error.h"

/* set_text leaves out what is not set; the plugin takes an empty value for a missing one anyhow. */
static rostering_error *set_text(json_t *object, const char *key, const char *text) {
    if (text == NULL) {
        return NULL;
    }
    return json_object_set_new(object, key, json_string(text)) == 0 ? NULL
                                                                    : rostering_not_utf8(ROSTERING_CONFIG_INVALID, key);
}

static rostering_error *set_keys(json_t *keys, const rostering_config *config) {
    const struct {
        const char *key, *text;
    } texts[] = {
        {"environment", config->environment},
        {"auth_url", config->auth_url},
        {"base_url", config->base_url},
        {"client_id", config->client_id},
        {"client_secret", config->client_secret},
        {"customer_id", config->customer_id},
        {"user_id", config->user_id},
        {"scope", config->scope},
        {"allow_http", config->allow_http ? "true" : NULL},
    };
    rostering_error *error = NULL;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && error == NULL; i++) {
        error = set_text(keys, texts[i].key, texts[i].text);
    }
    return error;
}

static void set_margin(json_t *keys, int64_t seconds) {
    if (seconds != 0) {
        json_object_set_new(keys, "refresh_margin", json_sprintf("%" PRId64, seconds > 0 ? seconds : 0));
    }
}

/*
 * add_host adds the host of a URL, as libextism compares it: without the port, in lower case. It takes an allowed host
 * for a pattern, in which the bracket of an IPv6 address needs brackets itself. Of other URLs the plugin says what is
 * wrong with them.
 */
static void add_host(json_t *hosts, const char *url) {
    const char *start = url != NULL ? strstr(url, "://") : NULL;
    if (start == NULL) {
        return;
    }
    start += strlen("://");
    if (*start == '[') {
        size_t n = strspn(start + 1, "0123456789abcdefABCDEF:.");
        json_array_append_new(hosts, json_sprintf("[[]%.*s]", (int)n, start + 1));
        return;
    }
    char host[254]; /* the longest name of the DNS */
    size_t n = 0;
    while (n < sizeof host - 1 && (isalnum((unsigned char)start[n]) || strchr("-._", start[n]) != NULL) && start[n]) {
        host[n] = (char)tolower((unsigned char)start[n]);
        n++;
    }
    json_array_append_new(hosts, json_stringn(host, n));
}

/* A time-out ends a call and leaves the instance, with its token, as it was. */
static void set_timeout(json_t *manifest, int64_t milliseconds) {
    if (milliseconds >= 0) {
        json_object_set_new(
            manifest, "timeout_ms", json_integer(milliseconds > 0 ? milliseconds : ROSTERING_DEFAULT_TIMEOUT_MS));
    }
}

rostering_error *rostering_manifest(const char *wasm, const rostering_config *config, bool sends, char **text) {
    json_t *keys = json_object(), *hosts = json_array();
    if (sends) {
        add_host(hosts, config->auth_url);
        add_host(hosts, config->base_url);
    }
    set_margin(keys, config->refresh_margin);
    rostering_error *error = set_keys(keys, config);
    json_t *manifest = json_pack("{s:[{s:s}], s:o, s:o}", "wasm", "path", wasm, "config", keys, "allowed_hosts", hosts);
    if (error == NULL && manifest == NULL) {
        error = rostering_not_utf8(ROSTERING_CONFIG_INVALID, "wasm");
    }
    if (error == NULL) {
        if (sends) {
            set_timeout(manifest, config->timeout_ms);
        }
        *text = json_dumps(manifest, JSON_COMPACT);
        error = *text == NULL ? rostering_out_of_memory() : NULL;
    }
    json_decref(manifest);
    return error;
}
