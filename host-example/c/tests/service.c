#include "service.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

typedef struct script {
    bool given;
    answer answer;
    int waiting; /* for answer.together */
} script;

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
    pthread_cond_t another;
    connection *connections;
    script token, jobs;
    int token_requests, jobs_requests, n_connections;
    char request[8192];
};

/* No test waits longer for its counterpart than this. */
enum { PATIENCE_S = 20 };

/* field gives the value of a header field, or NULL. */
static const char *field(const char *head, const char *name) {
    for (const char *line = strstr(head, "\r\n"); line != NULL; line = strstr(line + 2, "\r\n")) {
        if (strncasecmp(line + 2, name, strlen(name)) == 0) {
            return line + 2 + strlen(name);
        }
    }
    return NULL;
}

static bool is_whole(const char *request) {
    const char *end = strstr(request, "\r\n\r\n");
    if (end == NULL) {
        return false;
    }
    if (field(request, "transfer-encoding:") != NULL) { /* which libextism sends in front of no body */
        return strstr(end + 4, "0\r\n\r\n") != NULL;
    }
    const char *length = field(request, "content-length:");
    return strlen(end + 4) >= (length != NULL ? strtoul(length, NULL, 10) : 0);
}

/* read_request reads a request as text; none of the plugin's holds a zero byte. */
static bool read_request(int socket, char *request, size_t size) {
    size_t n = 0;
    request[0] = '\0';
    while (!is_whole(request)) {
        ssize_t got = n < size - 1 ? recv(socket, request + n, size - 1 - n, 0) : 0;
        if (got <= 0) {
            return false;
        }
        n += (size_t)got;
        request[n] = '\0';
    }
    return true;
}

static void send_all(int socket, const char *data, size_t length) {
    while (length > 0) {
        ssize_t sent = send(socket, data, length, MSG_NOSIGNAL);
        if (sent <= 0) {
            return;
        }
        data += sent;
        length -= (size_t)sent;
    }
}

/* send_answer reports whether the connection can be kept. */
static bool send_answer(int socket, const answer *a) {
    if (a->status == 0) {
        return false;
    }
    char head[256];
    if (a->body == NULL) {
        (void)!recv(socket, head, sizeof head, 0); /* returns once the client has closed the connection */
        return false;
    }
    size_t length = a->length > 0 ? a->length : strlen(a->body);
    snprintf(head, sizeof head, "HTTP/1.1 %d Test\r\nContent-Length: %zu\r\n%s\r\n", a->status, length,
        a->header != NULL ? a->header : "");
    send_all(socket, head, strlen(head));
    send_all(socket, a->body, length);
    return true;
}

/* gather waits until as many requests are there as the answer is for. */
static void gather(service *s, script *script) {
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += PATIENCE_S;
    script->waiting++;
    pthread_cond_broadcast(&s->another);
    int waited = 0;
    while (script->waiting < script->answer.together && waited == 0) {
        waited = pthread_cond_timedwait(&s->another, &s->lock, &end);
    }
}

/* next_answer notes a request and chooses its answer, the text of which may be in buffer. */
static answer next_answer(service *s, const char *request, char *buffer, size_t size) {
    pthread_mutex_lock(&s->lock);
    snprintf(s->request, sizeof s->request, "%s", request);
    bool for_token = strncmp(request, "POST /connect/token ", 20) == 0;
    script *script = for_token ? &s->token : &s->jobs;
    answer a = {.status = 200, .body = "[1]"};
    if (for_token) {
        s->token_requests++;
        snprintf(buffer, size,
            "{\"access_token\":\"a-token-of-the-test-%d\",\"expires_in\":3600,\"token_type\":\"Bearer\"}",
            s->token_requests);
        a.body = buffer;
    } else {
        s->jobs_requests++;
    }
    const char *only_to = script->answer.only_to;
    if (script->given && (only_to == NULL || strstr(request, only_to) != NULL)) {
        gather(s, script);
        a = script->answer;
    }
    pthread_mutex_unlock(&s->lock);
    return a;
}

static void *serve(void *argument) {
    connection *c = argument;
    struct timeval patience = {.tv_sec = PATIENCE_S};
    setsockopt(c->socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(c->socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    char request[sizeof c->service->request];
    bool keep = true;
    while (keep && read_request(c->socket, request, sizeof request)) {
        char buffer[256];
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
        if (c == NULL) {
            abort();
        }
        *c = (connection){.service = s, .socket = socket};
        pthread_mutex_lock(&s->lock);
        c->next = s->connections;
        s->connections = c;
        s->n_connections++;
        if (pthread_create(&c->thread, NULL, serve, c) != 0) {
            abort();
        }
        pthread_mutex_unlock(&s->lock);
    }
    return NULL;
}

static bool listen_on_loopback(service *s) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    if (bind(s->listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(s->listener, 64) != 0 ||
        getsockname(s->listener, (struct sockaddr *)&address, &length) != 0) {
        return false;
    }
    snprintf(s->url, sizeof s->url, "http://127.0.0.1:%d", ntohs(address.sin_port));
    return true;
}

service *service_start(void) {
    service *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return NULL;
    }
    s->listener = socket(AF_INET, SOCK_STREAM, 0);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->another, NULL);
    if (s->listener < 0 || !listen_on_loopback(s) || pthread_create(&s->thread, NULL, accept_all, s) != 0) {
        close(s->listener);
        free(s);
        return NULL;
    }
    return s;
}

void service_stop(service *s) {
    shutdown(s->listener, SHUT_RDWR); /* which ends accept */
    pthread_join(s->thread, NULL);
    close(s->listener);
    while (s->connections != NULL) {
        connection *c = s->connections;
        s->connections = c->next;
        shutdown(c->socket, SHUT_RDWR); /* which ends recv */
        pthread_join(c->thread, NULL);
        close(c->socket);
        free(c);
    }
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->another);
    free(s);
}

const char *service_url(const service *s) {
    return s->url;
}

static void set_script(service *s, script *place, const answer *a) {
    pthread_mutex_lock(&s->lock);
    *place = a != NULL ? (script){.given = true, .answer = *a} : (script){0};
    pthread_mutex_unlock(&s->lock);
}

void service_answer_token(service *s, const answer *a) {
    set_script(s, &s->token, a);
}

void service_answer_jobs(service *s, const answer *a) {
    set_script(s, &s->jobs, a);
}

static int count(service *s, const int *counter) {
    pthread_mutex_lock(&s->lock);
    int n = *counter;
    pthread_mutex_unlock(&s->lock);
    return n;
}

int service_token_requests(service *s) {
    return count(s, &s->token_requests);
}

int service_jobs_requests(service *s) {
    return count(s, &s->jobs_requests);
}

int service_connections(service *s) {
    return count(s, &s->n_connections);
}

const char *service_last_request(service *s) {
    return s->request;
}
