/* What the stores of this library have in common. */
#pragma once

#include "rostering.h"

/* A store of this library begins with this. */
typedef struct rostering_own_store {
    rostering_store shown; /* first, since it is what the caller frees */
    void (*free)(void *store);
} rostering_own_store;
