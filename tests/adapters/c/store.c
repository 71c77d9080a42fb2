/* The stores of the suite: those of the library, and one of the program's own, which is a server's. */
#include "store.h"

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A store by its name. */
typedef struct named {
    struct named *next;
    char *name, *url;
    rostering_store *store;
} named;

static named *stores;

static FILE *open_connection(const char *host, const char *port) {
    struct addrinfo *address, hints = {.ai_socktype = SOCK_STREAM};
    if (getaddrinfo(host, port, &hints, &address) != 0) return NULL;
    int connection = socket(address->ai_family, SOCK_STREAM, 0);
    bool connected = connect(connection, address->ai_addr, address->ai_addrlen) == 0;
    freeaddrinfo(address);
    if (connected) return fdopen(connection, "r+");
    close(connection);
    return NULL;
}

/* post sends an operation, which it frees, to a URL, and returns the response's JSON; NULL if there is none with status
 * 200. */
static json_t *post(const char *url, json_t *operation) {
    char host[64], port[6], path[1024] = "/", line[1024];
    char *body = json_dumps(operation, 0);
    json_decref(operation);
    FILE *connection = NULL;
    if (sscanf(url, "http://%63[^:/]:%5[0-9]%1023s", host, port, path) >= 2) connection = open_connection(host, port);
    int status = 0;
    json_t *response = NULL;
    if (connection != NULL) {
        fprintf(connection, "POST %s HTTP/1.0\r\nHost: %s:%s\r\nContent-Length: %zu\r\n\r\n%s", path, host, port,
            strlen(body), body);
        fflush(connection);
        bool more = fscanf(connection, "HTTP/%*s %d", &status) == 1;
        while (more && fgets(line, sizeof line, connection) != NULL && strcmp(line, "\r\n") != 0) {
        }
        if (status == 200) response = json_loadf(connection, JSON_DISABLE_EOF_CHECK, NULL);
        fclose(connection);
    }
    free(body);
    return response;
}

static bool get(void *url, const char *key, rostering_value *value) {
    json_t *response = post(url, json_pack("{s:s, s:s}", "op", "get", "key", key));
    const char *found = json_string_value(json_object_get(response, "value"));
    if (found != NULL) rostering_value_set(value, found);
    bool good = response != NULL;
    json_decref(response);
    return good;
}

static json_t *change(const char *url, const char *op, const char *key, const char *value, int64_t ttl_seconds) {
    return post(
        url, json_pack("{s:s, s:s, s:s, s:I}", "op", op, "key", key, "value", value, "ttl", (json_int_t)ttl_seconds));
}

static bool add(void *url, const char *key, const char *value, int64_t ttl_seconds, bool *added) {
    json_t *response = change(url, "add", key, value, ttl_seconds);
    *added = json_is_true(json_object_get(response, "added"));
    bool good = response != NULL;
    json_decref(response);
    return good;
}

static bool set(void *url, const char *key, const char *value, int64_t ttl_seconds) {
    json_t *response = change(url, "set", key, value, ttl_seconds);
    bool good = response != NULL;
    json_decref(response);
    return good;
}

rostering_store *find_store(json_t *from, rostering_error **error) {
    const char *name = NULL, *kind = NULL, *url = "", *folder = NULL;
    json_unpack(from, "{s:s, s:s, s?s, s?s}", "name", &name, "kind", &kind, "url", &url, "folder", &folder);
    for (named *s = stores; s != NULL; s = s->next) {
        if (strcmp(s->name, name) == 0) return s->store;
    }
    named *made = malloc(sizeof *made);
    *made = (named){.next = stores, .name = strdup(name), .url = strdup(url)};
    stores = made;
    if (strcmp(kind, "memory") == 0) made->store = rostering_memory_store_new();
    if (strcmp(kind, "folder") == 0) made->store = rostering_file_store_new(folder, error);
    if (strcmp(kind, "redis") == 0) made->store = rostering_redis_store_new(url, error);
    if (strcmp(kind, "http") == 0) made->store = rostering_store_new(get, add, set, made->url, error);
    return made->store;
}

void free_stores(void) {
    for (named *s = stores, *next; s != NULL; s = next) {
        next = s->next;
        rostering_store_free(s->store);
        free(s->name);
        free(s->url);
        free(s);
    }
}
