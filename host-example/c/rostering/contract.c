/* The custom section "rostering" of a build of the plugin: the version of its release, and that of its contract. */
#include <string.h>

#include "error.h"
#include "plugin.h"

typedef struct bytes {
    const uint8_t *at, *end;
} bytes;

static size_t left(bytes b) {
    return (size_t)(b.end - b.at);
}

/* take_part takes bytes that follow their length, a LEB128 number of 32 bits. */
static bool take_part(bytes *from, bytes *part) {
    uint64_t length = 0;
    for (int shift = 0; shift < 35 && left(*from) > 0; shift += 7) {
        uint8_t byte = *from->at++;
        length |= (uint64_t)(byte & 0x7f) << shift;
        if (byte >= 0x80) continue;
        if (length > left(*from)) return false;
        *part = (bytes){from->at, from->at + length};
        from->at = part->end;
        return true;
    }
    return false;
}

/* find_section returns NULL for what is not a WebAssembly module, too. */
static json_t *find_section(bytes file) {
    static const char header[8] = "\0asm\1\0\0", wanted[] = "rostering";
    const size_t length = sizeof wanted - 1;
    bytes section, name;
    if (left(file) < sizeof header || memcmp(file.at, header, sizeof header) != 0) return NULL;
    file.at += sizeof header;
    while (left(file) > 0) {
        bool custom = *file.at++ == 0;
        if (!take_part(&file, &section)) return NULL;
        if (!custom || !take_part(&section, &name)) continue;
        if (left(name) != length || memcmp(name.at, wanted, length) != 0) continue;
        return json_loadb((const char *)section.at, left(section), 0, NULL);
    }
    return NULL;
}

bool rostering_check_contract(const void *wasm, size_t size, rostering_error **error) {
    const uint8_t *at = wasm;
    json_t *section = find_section((bytes){at, at + size}), *contract = json_object_get(section, "contract");
    bool found = json_is_integer(contract);
    json_int_t number = json_integer_value(contract);
    json_decref(section);
    if (found && number == ROSTERING_CONTRACT) return true;
    if (found) {
        return rostering_fail(error, ROSTERING_PLUGIN_FAILED, NULL,
            "the plugin has contract %lld, and this library needs %d: take the library of the plugin's release",
            (long long)number, ROSTERING_CONTRACT);
    }
    return rostering_fail(
        error, ROSTERING_PLUGIN_FAILED, NULL, "the file is not a build of the plugin: it has no section \"rostering\"");
}

const char *rostering_version(void) {
    return ROSTERING_VERSION;
}
