/* The sandbox, an identity provider and a jobs service on loopback: see sandbox/doc.go in the top folder. */
#pragma once

#include <jansson.h>

typedef enum server { AUTH, JOBS } server;

typedef struct sandbox sandbox;

/* Starts a sandbox, in a process that ends at the latest with this one. All functions here fail the test if an error
 * occurs. */
sandbox *sandbox_start(void);
void sandbox_close(sandbox *s);

/* Returns an object of ROSTERING_AUTH_URL and the others. It belongs to the sandbox. */
json_t *sandbox_env(const sandbox *s);

/* Makes a server misbehave, in place of its previous fault. The format and what follows are those of json_pack. */
void sandbox_fault(sandbox *s, server on, const char *format, ...);

/* Ends all faults, and releases the responses that were held back. */
void sandbox_clear_faults(sandbox *s);

/* Revokes all tokens. */
void sandbox_revoke(sandbox *s);

/* Sets how long new tokens are valid. */
void sandbox_set_lifetime(sandbox *s, int seconds);

/* Returns how many requests have arrived at a server; at the identity provider, token requests alone. */
int sandbox_requests(sandbox *s, server at);

/* Waits until at least n of them have arrived. */
void sandbox_wait(sandbox *s, server at, int n);

/* Returns the last request. The caller owns it. */
json_t *sandbox_last_request(sandbox *s);
