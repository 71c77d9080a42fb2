#include "service.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

typedef struct connection {
    struct connection *next;
    service *service;
    int socket;
    pthread_t thread;
} connection;

struct service {
    int listener;
    pthread_t thread;
    char url[64];
    pthread_mutex_t lock; /* for all below */
    pthread_cond_t changed;
    connection *connections;
    bool given[KINDS], held[KINDS];
    answer answers[KINDS];
    int requests[KINDS], n_connections;
    char request[8192];
};

/* No test waits longer for its counterpart than this. */
enum { PATIENCE_S = 20 };

/* wait_for_change returns false once the patience is over. */
static bool wait_for_change(service *s, time_t until) {
    struct timespec end = {.tv_sec = until};
    return pthread_cond_timedwait(&s->changed, &s->lock, &end) == 0;
}

static const char *field(const char *head, const char *name) {
    for (const char *line = strstr(head, "\r\n"); line != NULL; line = strstr(line + 2, "\r\n")) {
        if (strncasecmp(line + 2, name, strlen(name)) == 0) return line + 2 + strlen(name);
    }
    return NULL;
}

static bool is_whole(const char *request) {
    const char *end = strstr(request, "\r\n\r\n");
    if (end == NULL) return false;
    if (field(request, "transfer-encoding:") != NULL) return strstr(end + 4, "0\r\n\r\n") != NULL;
    const char *length = field(request, "content-length:");
    return strlen(end + 4) >= (length != NULL ? strtoul(length, NULL, 10) : 0);
}

/* read_request reads a request as text; none of the tests' holds a zero byte. */
static bool read_request(int socket, char *request, size_t size) {
    size_t n = 0;
    request[0] = '\0';
    while (!is_whole(request)) {
        ssize_t got = n < size - 1 ? recv(socket, request + n, size - 1 - n, 0) : 0;
        if (got <= 0) return false;
        n += (size_t)got;
        request[n] = '\0';
    }
    return true;
}

/* send_answer reports whether the connection can be kept. */
static bool send_answer(int socket, const answer *a) {
    if (a->status == 0) return false;
    char head[256];
    size_t length = a->length > 0 ? a->length : strlen(a->body);
    snprintf(head, sizeof head, "HTTP/1.1 %d Test\r\nContent-Length: %zu\r\n%s\r\n", a->status, length,
        a->header != NULL ? a->header : "");
    if (send(socket, head, strlen(head), MSG_NOSIGNAL | MSG_MORE) <= 0) return false;
    for (size_t sent = 0; sent < length;) {
        ssize_t n = send(socket, a->body + sent, length - sent, MSG_NOSIGNAL);
        if (n <= 0) return false;
        sent += (size_t)n;
    }
    return true;
}

/* next_answer notes a request and chooses its answer, the text of which may be in buffer. */
static answer next_answer(service *s, const char *request, char *buffer, size_t size) {
    kind k = strncmp(request, "POST /connect/token ", 20) == 0 ? TOKEN : JOBS;
    pthread_mutex_lock(&s->lock);
    snprintf(s->request, sizeof s->request, "%s", request);
    snprintf(buffer, size,
        "{\"access_token\":\"a-token-of-the-test-%d\",\"expires_in\":3600,\"token_type\":\"Bearer\"}",
        ++s->requests[k]);
    pthread_cond_broadcast(&s->changed);
    time_t until = time(NULL) + PATIENCE_S;
    while (s->held[k] && wait_for_change(s, until)) {
    }
    answer a = {.status = 200, .body = k == TOKEN ? buffer : "[1]"};
    const char *only_to = s->answers[k].only_to;
    if (s->given[k] && (only_to == NULL || strstr(request, only_to) != NULL)) a = s->answers[k];
    pthread_mutex_unlock(&s->lock);
    return a;
}

static void *serve(void *argument) {
    connection *c = argument;
    struct timeval patience = {.tv_sec = PATIENCE_S};
    setsockopt(c->socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(c->socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    char request[sizeof c->service->request], buffer[256];
    bool keep = true;
    while (keep && read_request(c->socket, request, sizeof request)) {
        answer a = next_answer(c->service, request, buffer, sizeof buffer);
        keep = send_answer(c->socket, &a);
    }
    shutdown(c->socket, SHUT_RDWR);
    return NULL;
}

static void *accept_all(void *argument) {
    service *s = argument;
    int socket;
    while ((socket = accept(s->listener, NULL, NULL)) >= 0) {
        connection *c = malloc(sizeof *c);
        if (c == NULL) abort();
        pthread_mutex_lock(&s->lock);
        *c = (connection){.next = s->connections, .service = s, .socket = socket};
        s->connections = c;
        s->n_connections++;
        if (pthread_create(&c->thread, NULL, serve, c) != 0) abort();
        pthread_mutex_unlock(&s->lock);
    }
    return NULL;
}

service *service_start(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    service *s = calloc(1, sizeof *s);
    if (s == NULL) return NULL;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    s->listener = socket(AF_INET, SOCK_STREAM, 0);
    if (s->listener >= 0 && bind(s->listener, (struct sockaddr *)&address, sizeof address) == 0 &&
        listen(s->listener, 64) == 0 && getsockname(s->listener, (struct sockaddr *)&address, &length) == 0 &&
        pthread_create(&s->thread, NULL, accept_all, s) == 0) {
        snprintf(s->url, sizeof s->url, "http://127.0.0.1:%d", ntohs(address.sin_port));
        return s;
    }
    close(s->listener);
    free(s);
    return NULL;
}

void service_stop(service *s) {
    shutdown(s->listener, SHUT_RDWR); /* which ends accept */
    pthread_join(s->thread, NULL);
    close(s->listener);
    for (kind k = 0; k < KINDS; k++) service_hold(s, k, false);
    while (s->connections != NULL) {
        connection *c = s->connections;
        s->connections = c->next;
        shutdown(c->socket, SHUT_RDWR); /* which ends recv */
        pthread_join(c->thread, NULL);
        close(c->socket);
        free(c);
    }
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->changed);
    free(s);
}

const char *service_url(const service *s) {
    return s->url;
}

void service_answer(service *s, kind k, const answer *a) {
    pthread_mutex_lock(&s->lock);
    s->given[k] = a != NULL;
    s->answers[k] = a != NULL ? *a : (answer){0};
    pthread_mutex_unlock(&s->lock);
}

void service_hold(service *s, kind k, bool hold) {
    pthread_mutex_lock(&s->lock);
    s->held[k] = hold;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

int service_wait(service *s, kind k, int n) {
    time_t until = time(NULL) + PATIENCE_S;
    pthread_mutex_lock(&s->lock);
    while (s->requests[k] < n && wait_for_change(s, until)) {
    }
    n = s->requests[k];
    pthread_mutex_unlock(&s->lock);
    return n;
}

int service_requests(service *s, kind k) {
    return service_wait(s, k, 0);
}

int service_connections(service *s) {
    pthread_mutex_lock(&s->lock);
    int n = s->n_connections;
    pthread_mutex_unlock(&s->lock);
    return n;
}

const char *service_last_request(const service *s) {
    return s->request;
}
