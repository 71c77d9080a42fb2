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
#include <unistd.h>

struct service {
    int listener;
    pthread_t thread;
    char url[64];
    pthread_mutex_t lock; /* for all below */
    bool token_is_scripted, jobs_are_scripted;
    answer token, jobs;
    int token_requests;
    char request[8192];
};

/* No test waits longer for its counterpart than this. */
static const struct timeval patience = {.tv_sec = 20};

static size_t content_length(const char *head) {
    for (const char *line = strstr(head, "\r\n"); line != NULL; line = strstr(line + 2, "\r\n")) {
        if (strncasecmp(line + 2, "content-length:", 15) == 0) {
            return strtoul(line + 2 + 15, NULL, 10);
        }
    }
    return 0;
}

static bool is_whole(const char *request) {
    const char *end = strstr(request, "\r\n\r\n");
    return end != NULL && strlen(end + 4) >= content_length(request);
}

/* read_request reads a request as text; none of the plugin's holds a zero byte. */
static bool read_request(int connection, char *request, size_t size) {
    size_t n = 0;
    request[0] = '\0';
    while (!is_whole(request)) {
        ssize_t got = n < size - 1 ? recv(connection, request + n, size - 1 - n, 0) : 0;
        if (got <= 0) {
            return false;
        }
        n += (size_t)got;
        request[n] = '\0';
    }
    return true;
}

static void send_all(int connection, const char *data, size_t length) {
    while (length > 0) {
        ssize_t sent = send(connection, data, length, MSG_NOSIGNAL);
        if (sent <= 0) {
            return;
        }
        data += sent;
        length -= (size_t)sent;
    }
}

static void send_answer(int connection, const answer *a) {
    if (a->status == 0) {
        return;
    }
    char head[128];
    if (a->body == NULL) {
        (void)!recv(connection, head, sizeof head, 0); /* returns once the client has closed the connection */
        return;
    }
    size_t length = a->length > 0 ? a->length : strlen(a->body);
    snprintf(
        head, sizeof head, "HTTP/1.1 %d Test\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n", a->status, length);
    send_all(connection, head, strlen(head));
    send_all(connection, a->body, length);
}

/* next_answer notes a request and chooses its answer, the text of which may be in buffer. */
static answer next_answer(service *s, const char *request, char *buffer, size_t size) {
    pthread_mutex_lock(&s->lock);
    snprintf(s->request, sizeof s->request, "%s", request);
    answer a = {404, "", 0};
    if (strncmp(request, "POST /connect/token ", 20) == 0) {
        s->token_requests++;
        snprintf(buffer, size,
            "{\"access_token\":\"a-token-of-the-test-%d\",\"expires_in\":3600,\"token_type\":\"Bearer\"}",
            s->token_requests);
        a = s->token_is_scripted ? s->token : (answer){200, buffer, 0};
    } else if (strncmp(request, "GET /jobs ", 10) == 0) {
        a = s->jobs_are_scripted ? s->jobs : (answer){200, "[1]", 0};
    }
    pthread_mutex_unlock(&s->lock);
    return a;
}

static void *serve(void *argument) {
    service *s = argument;
    int connection;
    while ((connection = accept(s->listener, NULL, NULL)) >= 0) {
        setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
        char request[sizeof s->request];
        if (read_request(connection, request, sizeof request)) {
            char buffer[256];
            answer a = next_answer(s, request, buffer, sizeof buffer);
            send_answer(connection, &a);
        }
        close(connection);
    }
    return NULL;
}

static bool listen_on_loopback(service *s) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    if (bind(s->listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(s->listener, 16) != 0 ||
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
    if (s->listener < 0 || !listen_on_loopback(s) || pthread_create(&s->thread, NULL, serve, s) != 0) {
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
    pthread_mutex_destroy(&s->lock);
    free(s);
}

const char *service_url(const service *s) {
    return s->url;
}

static void script(service *s, const answer *a, bool *is_scripted, answer *place) {
    pthread_mutex_lock(&s->lock);
    *is_scripted = a != NULL;
    if (a != NULL) {
        *place = *a;
    }
    pthread_mutex_unlock(&s->lock);
}

void service_answer_token(service *s, const answer *a) {
    script(s, a, &s->token_is_scripted, &s->token);
}

void service_answer_jobs(service *s, const answer *a) {
    script(s, a, &s->jobs_are_scripted, &s->jobs);
}

int service_token_requests(service *s) {
    pthread_mutex_lock(&s->lock);
    int n = s->token_requests;
    pthread_mutex_unlock(&s->lock);
    return n;
}

const char *service_last_request(service *s) {
    return s->request;
}
