/* JSON text holds UTF-8 alone; what servers send may be anything. From within the library. */
#ifndef ROSTERING_UTF8_H
#define ROSTERING_UTF8_H

#include <jansson.h>
#include <stddef.h>

/* Gives data as JSON text, with U+FFFD for each byte that is no UTF-8; NULL if memory ran out. */
json_t *rostering_utf8(const char *data, size_t length);

#endif
