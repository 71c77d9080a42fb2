#ifndef BASE64_H
#define BASE64_H

#include <stddef.h>
#include <stdint.h>

/* Both give memory that the caller frees, or NULL if there is none or the text is no base64. */
char *base64_encode(const uint8_t *data, size_t length);
uint8_t *base64_decode(const char *text, size_t *length);

#endif
