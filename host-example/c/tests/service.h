/* A service on loopback: the token endpoint and the jobs, with a thread for each connection. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef enum kind { TOKEN, JOBS, KINDS } kind; /* of a request */

/* What a request gets. */
typedef struct answer {
    int status;          /* 0: the connection is closed without an answer */
    const char *body;    /* text */
    size_t length;       /* of body; 0 if it is a C string */
    const char *header;  /* a line that is added, with its end, or NULL */
    const char *only_to; /* requests that hold this text; others get what they got at first. NULL: all */
} answer;

typedef struct service service;

/* Starts a service on a free port, or returns NULL. At first it gives "a-token-of-the-test-<number>" and "[1]". */
service *service_start(void);
void service_stop(service *s);

const char *service_url(const service *s);

/* Sets what requests of a kind get from now on; NULL stands for what they got at first. */
void service_answer(service *s, kind k, const answer *a);

/* Holds the answers to requests of a kind back, or no more. */
void service_hold(service *s, kind k, bool hold);

/* Waits until so many requests of a kind have arrived, in all. Returns how many have. */
int service_wait(service *s, kind k, int n);

int service_requests(service *s, kind k);
int service_connections(service *s);

/* Returns the last request, its head and its body, until the next one comes. */
const char *service_last_request(const service *s);
