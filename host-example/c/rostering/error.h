/* Errors, from within the library. */
#ifndef ROSTERING_ERROR_H
#define ROSTERING_ERROR_H

#include "rostering.h"

rostering_error *rostering_out_of_memory(void);

/* The plugin failed for a reason that is not of its contract. cause may be NULL. */
rostering_error *rostering_plugin_failed(const char *message, const char *cause);

/* Text that is no UTF-8 cannot be handed to the plugin. */
rostering_error *rostering_not_utf8(const char *code, const char *key);

/* What the plugin would say, too, but cannot be told. */
rostering_error *rostering_invalid_input(const char *key, const char *message);

/* The call's time was over before its turn came. */
rostering_error *rostering_late(void);

/* Makes an error of what extism_plugin_call returned, if not 0, and of extism_plugin_error's text. */
rostering_error *rostering_call_error(int32_t status, const char *text);

#endif
