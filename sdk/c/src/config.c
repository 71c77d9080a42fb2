#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "struct.h"

json_t *rostering_config_json(const rostering_config *given, rostering_error **error) {
    rostering_config config;
    rostering_config_init(&config, sizeof config);
    if (!ROSTERING_READ(&config, given, "config", ROSTERING_CONFIG_INVALID, error)) return NULL;
    char margin[24];
    snprintf(margin, sizeof margin, "%" PRId64, config.refresh_margin);
    const char *const texts[][2] = {
        {"environment", config.environment},
        {"auth_url", config.auth_url},
        {"base_url", config.base_url},
        {"client_id", config.client_id},
        {"client_secret", config.client_secret},
        {"customer_id", config.customer_id},
        {"user_id", config.user_id},
        {"scope", config.scope},
        {"refresh_margin", margin},
        {"allow_http", config.allow_http ? "true" : NULL},
    };
    json_t *keys = json_object();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *key = texts[i][0], *text = texts[i][1];
        if (text == NULL || json_object_set_new(keys, key, json_string(text)) == 0) continue;
        rostering_fail(error, ROSTERING_CONFIG_INVALID, key, "%s is not UTF-8", key);
        json_decref(keys);
        return NULL;
    }
    return keys;
}

/* variable returns the value of a variable, or NULL if that is empty. */
static const char *variable(const char *name) {
    const char *value = getenv(name);
    return value != NULL && *value != '\0' ? value : NULL;
}

static bool is_invalid(rostering_error **error, const char *key, const char *message) {
    return rostering_fail(error, ROSTERING_CONFIG_INVALID, key, "%s", message);
}

bool rostering_config_from_env(rostering_config *config, size_t size, rostering_error **error) {
    rostering_config found;
    rostering_config_init(&found, sizeof found);
    found.environment = variable("ROSTERING_ENVIRONMENT");
    found.auth_url = variable("ROSTERING_AUTH_URL");
    found.base_url = variable("ROSTERING_BASE_URL");
    found.client_id = variable("ROSTERING_CLIENT_ID");
    found.client_secret = variable("ROSTERING_CLIENT_SECRET");
    found.customer_id = variable("ROSTERING_CUSTOMER_ID");
    found.user_id = variable("ROSTERING_USER_ID");
    found.scope = variable("ROSTERING_SCOPE");
    const char *margin = variable("ROSTERING_REFRESH_MARGIN"), *allow_http = variable("ROSTERING_ALLOW_HTTP");
    if (margin != NULL) found.refresh_margin = strtoll(margin, NULL, 10);
    found.allow_http = allow_http != NULL && strcmp(allow_http, "true") == 0;
    rostering_config_init(config, size);
    if (margin != NULL && (strspn(margin, "0123456789") != strlen(margin) || strlen(margin) > 9)) {
        return is_invalid(error, "refresh_margin", "ROSTERING_REFRESH_MARGIN must be whole seconds, such as 60");
    }
    if (allow_http != NULL && !found.allow_http && strcmp(allow_http, "false") != 0) {
        return is_invalid(error, "allow_http", "ROSTERING_ALLOW_HTTP must be true or false");
    }
    if (found.environment != NULL && strcmp(found.environment, "stage") != 0 &&
        strcmp(found.environment, "production") != 0) {
        return is_invalid(error, "environment", "ROSTERING_ENVIRONMENT must be stage or production");
    }
    memcpy(config, &found, size < sizeof found ? size : sizeof found);
    config->size = size;
    return true;
}
