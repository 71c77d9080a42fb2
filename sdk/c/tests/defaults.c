#include "tests.h"

rostering_config new_config(void) {
    rostering_config config;
    rostering_config_init(&config, sizeof config);
    return config;
}

rostering_options new_options(void) {
    rostering_options options;
    rostering_options_init(&options, sizeof options);
    return options;
}

rostering_request new_request(const char *method, const char *path) {
    rostering_request request;
    rostering_request_init(&request, sizeof request);
    request.method = method;
    request.path = path;
    return request;
}

rostering_call new_call(int64_t timeout_ms, rostering_cancel *cancel) {
    rostering_call call;
    rostering_call_init(&call, sizeof call);
    if (timeout_ms != 0) call.timeout_ms = timeout_ms;
    call.cancel = cancel;
    return call;
}
