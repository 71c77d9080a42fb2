#include "utf8.h"

#include <stdlib.h>
#include <string.h>

static const char replacement[] = "\xef\xbf\xbd";
enum { REPLACEMENT = sizeof replacement - 1, LONGEST_CHARACTER = 4 };

/* character_length gives the length of the character that data begins with, or 0: jansson knows. */
static size_t character_length(const char *data, size_t length) {
    for (size_t n = 1; n <= length && n <= LONGEST_CHARACTER; n++) {
        json_t *character = json_stringn(data, n);
        if (character != NULL) {
            json_decref(character);
            return n;
        }
    }
    return 0;
}

static json_t *replace(const char *data, size_t length, char *buffer) {
    char *end = buffer;
    for (size_t i = 0; i < length;) {
        size_t n = (data[i] & 0x80) == 0 ? 1 : character_length(data + i, length - i);
        memcpy(end, n > 0 ? data + i : replacement, n > 0 ? n : REPLACEMENT);
        end += n > 0 ? n : REPLACEMENT;
        i += n > 0 ? n : 1;
    }
    return json_stringn(buffer, (size_t)(end - buffer));
}

json_t *rostering_utf8(const char *data, size_t length) {
    json_t *text = json_stringn(data, length);
    char *buffer = text == NULL ? malloc(length * REPLACEMENT) : NULL;
    if (buffer != NULL) {
        text = replace(data, length, buffer);
        free(buffer);
    }
    return text;
}
