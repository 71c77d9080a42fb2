#include "struct.h"

#include <string.h>

#include "wait.h"

enum { DEFAULT_MARGIN = 60, DEFAULT_TIMEOUT_MS = 30000, DEFAULT_MAX_BODY = 64 << 20, DEFAULT_RETRIES_MS = 60000 };

bool rostering_read_struct(
    void *own, size_t own_size, const void *given, const char *name, rostering_code code, rostering_error **error) {
    size_t size = 0;
    if (given == NULL) return true;
    memcpy(&size, given, sizeof size);
    if (size <= sizeof size)
        return rostering_fail(error, code, NULL, "size is not set: call rostering_%s_init first", name);
    if (size > own_size) {
        return rostering_fail(error, code, NULL,
            "rostering_%s has %zu bytes, but this library knows only %zu: use a library as new as the header", name,
            size, own_size);
    }
    memcpy(own, given, size);
    return true;
}

/* set writes the defaults, as many as fit into the caller's struct. */
static void set(void *to, size_t size, const void *defaults, size_t defaults_size) {
    memset(to, 0, size);
    memcpy(to, defaults, size < defaults_size ? size : defaults_size);
}

#define INIT(type, ...)                                                                                                \
    void type##_init(type *to, size_t size) {                                                                          \
        const type defaults = {.size = size, __VA_ARGS__};                                                             \
        set(to, size, &defaults, sizeof defaults);                                                                     \
    }

INIT(rostering_config, .refresh_margin = DEFAULT_MARGIN)
INIT(rostering_store, .context = NULL)
INIT(rostering_options, .timeout_ms = DEFAULT_TIMEOUT_MS, .max_body = DEFAULT_MAX_BODY)
INIT(rostering_call, .timeout_ms = ROSTERING_CLIENT_TIMEOUT)
INIT(rostering_token, .token_type = "Bearer")
INIT(rostering_token_request, .force = false)
INIT(rostering_request, .method = "GET")
INIT(rostering_retries, .timeout_ms = DEFAULT_RETRIES_MS, .began_ms = rostering_now_ms())
