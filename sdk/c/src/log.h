/* The log of the plugin, which libextism writes: lines of text, in one log for the whole process. */
#pragma once

#include "extism.h"
#include "rostering.h"

enum { ROSTERING_UUID_SIZE = 37 };

/* Writes a plugin's UUID as the log has it. */
void rostering_log_uuid(ExtismPlugin *plugin, char uuid[ROSTERING_UUID_SIZE]);

/* A line that a plugin wrote; nothing in it ends with a zero byte. */
typedef struct rostering_line {
    rostering_log_level level;
    const char *text, *uuid;
    size_t length; /* of text */
} rostering_line;

bool rostering_log_parse(const char *log, size_t length, rostering_line *line);

/* Makes libextism keep its log for this library. Fails if the program has set up that log. */
bool rostering_log_open(rostering_error **error);

/*
 * A call of a plugin is enclosed by these two, the second of which forwards its lines. Calls take turns, so that no
 * line goes to another client. The first returns whether there is a log; without one, skip the second.
 */
bool rostering_log_begin(void);
void rostering_log_end(const char *uuid, const rostering_options *options);

/* Forwards a line of this library's own, if there is a log. */
void rostering_log_write(const rostering_options *options, rostering_log_level level, const char *line);
