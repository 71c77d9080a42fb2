/*
 * Calls by the plugin's exports begin and resume: the plugin says which request is next, and is told what came of it.
 * From within the library.
 */
#ifndef ROSTERING_DRIVE_H
#define ROSTERING_DRIVE_H

#include "http.h"
#include "instance.h"

/*
 * Makes a call, from any thread. It takes over input; NULL stands for no memory. Without "now" in it, the clock's time
 * is handed in, at each step. output is the token object of get_token, else the service's answer.
 */
rostering_error *rostering_drive(rostering_instance *instance, rostering_http *http, const char *call, json_t *input,
    int64_t deadline, rostering_body *output);

#endif
