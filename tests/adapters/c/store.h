#ifndef STORE_H
#define STORE_H

#include <jansson.h>
#include <rostering.h>

/* find_store returns the store of that name, which it makes if it is new. Only one thread may call it. */
rostering_store *find_store(json_t *from, rostering_error **error);

void free_stores(void);

#endif
