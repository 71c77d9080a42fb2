/* A store of the program's own, which a server has. */
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>
#include <rostering.h>

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

/* post sends an operation, which it frees, and returns the JSON of the response, or NULL if its status is not 200. */
static json_t *post(const char *url, json_t *operation) {
    char host[64], port[6], path[1024] = "/", line[1024];
    char *body = json_dumps(operation, 0);
    json_decref(operation);
    int parts = sscanf(url, "http://%63[^:/]:%5[0-9]%1023s", host, port, path), status = 0;
    FILE *connection = parts >= 2 ? open_connection(host, port) : NULL;
    json_t *response = NULL;
    if (connection != NULL) {
        fprintf(connection, "POST %s HTTP/1.0\r\nContent-Length: %zu\r\n\r\n%s", path, strlen(body), body);
        fflush(connection);
        bool more = fscanf(connection, "HTTP/%*s %d", &status) == 1;
        while (more && fgets(line, sizeof line, connection) != NULL && strcmp(line, "\r\n") != 0) {
        }
        if (status == 200) response = json_loadf(connection, JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK, NULL);
        fclose(connection);
    }
    free(body);
    return response;
}

static int use(void *url, rostering_store_operation operation, const char *key, const char *value, int64_t ttl_seconds,
    rostering_value *found) {
    static const char *const names[] = {"get", "add", "set"};
    json_t *response = post(url, json_pack("{s:s, s:s, s:s, s:I}", "op", names[operation], "key", key, "value", value,
                                     "ttl", (json_int_t)ttl_seconds));
    if (response == NULL) return -1;
    if (json_is_string(response)) rostering_value_set(found, json_string_value(response));
    int added = json_is_true(response);
    json_decref(response);
    return added;
}

rostering_store *make_http_store(const char *url, rostering_error **error) {
    return rostering_store_new(use, strdup(url), error);
}
