/* The manifest of an instance, from within the library. */
#ifndef ROSTERING_MANIFEST_H
#define ROSTERING_MANIFEST_H

#include "rostering.h"

/*
 * Gives the manifest as JSON text, which the caller frees. It holds the secret. The plugin sends its requests itself,
 * or may send none.
 */
rostering_error *rostering_manifest(const char *wasm, const rostering_config *config, bool sends, char **text);

#endif
