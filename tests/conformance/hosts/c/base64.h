#ifndef BASE64_H
#define BASE64_H

#include <stddef.h>
#include <stdint.h>

/* Both return memory that the caller frees, or NULL if memory ran out or text is not base64. */
char *base64_encode(const uint8_t *data, size_t length);
uint8_t *base64_decode(const char *text, size_t *length);

#endif
