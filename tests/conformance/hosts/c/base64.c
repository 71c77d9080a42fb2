#include "base64.h"

#include <stdlib.h>
#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

char *base64_encode(const uint8_t *data, size_t length) {
    char *text = malloc((length + 2) / 3 * 4 + 1);
    if (text == NULL) {
        return NULL;
    }
    char *out = text;
    for (size_t i = 0; i < length; i += 3) {
        size_t left = length - i;
        uint32_t three = (uint32_t)data[i] << 16 | (uint32_t)(left > 1 ? data[i + 1] : 0) << 8 |
                         (uint32_t)(left > 2 ? data[i + 2] : 0);
        *out++ = digits[three >> 18];
        *out++ = digits[three >> 12 & 63];
        *out++ = left > 1 ? digits[three >> 6 & 63] : '=';
        *out++ = left > 2 ? digits[three & 63] : '=';
    }
    *out = '\0';
    return text;
}

uint8_t *base64_decode(const char *text, size_t *length) {
    size_t n = strcspn(text, "=");
    uint8_t *data = malloc(n / 4 * 3 + 3);
    if (data == NULL) {
        return NULL;
    }
    uint32_t bits = 0;
    *length = 0;
    for (size_t i = 0; i < n; i++) {
        const char *digit = strchr(digits, text[i]);
        if (digit == NULL) {
            free(data);
            return NULL;
        }
        bits = bits << 6 | (uint32_t)(digit - digits);
        if (i % 4 != 0) {
            data[(*length)++] = (uint8_t)(bits >> (6 - 2 * (i % 4)));
        }
    }
    return data;
}
