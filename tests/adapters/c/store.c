/* A store of the program's own, which a server has. */
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>
#include <rostering.h>

static FILE *connect_to(const char *url) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    to.sin_port = htons((in_port_t)atoi(strrchr(url, ':') + 1));
    int connection = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(connection, (struct sockaddr *)&to, sizeof to) == 0) return fdopen(connection, "r+");
    close(connection);
    return NULL;
}

static int use(void *url, rostering_store_operation operation, const char *key, const char *value, int64_t ttl_seconds,
    rostering_value *found) {
    static const char *const names[] = {"get", "add", "set"};
    FILE *connection = connect_to(url);
    if (connection == NULL) return -1;
    json_t *sent = json_pack(
        "{s:s, s:s, s:s, s:I}", "op", names[operation], "key", key, "value", value, "ttl", (json_int_t)ttl_seconds);
    fprintf(connection, "POST / HTTP/1.0\r\nContent-Length: %zu\r\n\r\n", json_dumpb(sent, NULL, 0, 0));
    json_dumpf(sent, connection, 0);
    fflush(connection);
    char line[1024] = "";
    while (strcmp(line, "\r\n") != 0 && fgets(line, sizeof line, connection) != NULL) continue;
    json_t *response = json_loadf(connection, JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK, NULL);
    int result = response == NULL ? -1 : json_is_true(response);
    if (json_is_string(response)) rostering_value_set(found, json_string_value(response));
    json_decref(sent);
    json_decref(response);
    fclose(connection);
    return result;
}

rostering_store *make_http_store(const char *url, rostering_error **error) {
    return rostering_store_new(use, strdup(url), error);
}
