/* A service on loopback, for the tests: the identity provider and the jobs, with a thread for each connection. */
#ifndef SERVICE_H
#define SERVICE_H

#include <stddef.h>

/* What a request gets. */
typedef struct answer {
    int status;          /* 0: the connection is closed without an answer */
    const char *body;    /* NULL with a status: no answer comes until the client gives up */
    size_t length;       /* of body; 0 if it is a C string */
    const char *header;  /* a line that is added, with its end, or NULL */
    const char *only_to; /* requests that hold this text; others get what they got at first. NULL: all */
    int together;        /* is given once that many requests wait for it */
} answer;

typedef struct service service;

/* Starts a service on a free port, or gives NULL. At first it gives out "a-token-of-the-test-<number>" and "[1]". */
service *service_start(void);
void service_stop(service *s);

const char *service_url(const service *s);

/* Sets what token requests and what all others get from now on; NULL stands for what they got at first. */
void service_answer_token(service *s, const answer *a);
void service_answer_jobs(service *s, const answer *a);

int service_token_requests(service *s);
int service_jobs_requests(service *s);
int service_connections(service *s);

/* Gives the last request, its head and its body, until the next one comes. */
const char *service_last_request(service *s);

#endif
