/* The log of the plugin, which libextism writes: one for the whole process, in lines of text. */
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

/* Makes libextism keep its log for this library, if no one has before. */
bool rostering_log_open(rostering_error **error);

/*
 * A call of a plugin stands between these two, the second of which passes its lines on. They take turns, so that no
 * line gets lost to another client's call. The first returns whether there is a log; without one, leave out the second.
 */
bool rostering_log_begin(void);
void rostering_log_end(const char *uuid, const rostering_options *options);

/* Passes a line of this library's own on, if there is a log. */
void rostering_log_write(const rostering_options *options, rostering_log_level level, const char *line);
