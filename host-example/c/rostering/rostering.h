/*
 * The Automatic Rostering plugin as a C library.
 *
 * Make one client when the program starts and share it: the token lives in the client's instance of the plugin, and a
 * client for each request would ask for a token for each. Any thread may call it. There are two forms: with
 * rostering_open the plugin sends its requests itself, and threads take turns; with rostering_open_driver this library
 * sends them with libcurl, those of all threads at once. README.md tells which to choose.
 *
 * Functions that can fail return NULL, or an error that the caller frees. What they give through a pointer is set only
 * if they return NULL.
 */
#ifndef ROSTERING_H
#define ROSTERING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The codes of an error, for programs to act on. */
#define ROSTERING_INVALID_INPUT "invalid_input"
#define ROSTERING_CONFIG_MISSING "config_missing"
#define ROSTERING_CONFIG_INVALID "config_invalid"
#define ROSTERING_CLOCK_UNUSABLE "clock_unusable"
#define ROSTERING_TOKEN_ENDPOINT_REJECTED "token_endpoint_rejected"
#define ROSTERING_TOKEN_ENDPOINT_UNAVAILABLE "token_endpoint_unavailable"
#define ROSTERING_TOKEN_RESPONSE_INVALID "token_response_invalid"
#define ROSTERING_TOKEN_MISMATCH "token_mismatch"
#define ROSTERING_SERVICE_UNAUTHORIZED "service_unauthorized"
#define ROSTERING_SERVICE_ERROR "service_error"
#define ROSTERING_NETWORK_ERROR "network_error"
/* Not of the plugin: it could not be loaded or broke, or memory ran out. */
#define ROSTERING_PLUGIN_FAILED "plugin_failed"

/* Why a call failed. Text that is not known is NULL, a number 0. It holds no secret. */
typedef struct rostering_error {
    const char *code;    /* one of the codes above */
    const char *message; /* says what to do, for people to read */
    bool retryable;      /* the same call may succeed later */
    const char *key;     /* the config key or input field at fault */
    int status;          /* of the answer at fault */
    const char *oauth_error;
    const char *oauth_error_description;
    int64_t retry_after; /* seconds in which the plugin will send no further token request */
    const char *body;    /* of the service's answer, at most 64 KiB of it; not of a driver */
    size_t body_length;
    bool body_truncated; /* there was more */
    const char *cause;   /* libextism's own words */

    void *memory; /* the library's own */
} rostering_error;

void rostering_error_free(rostering_error *error);

/* Prints all that is known, a line each. */
void rostering_error_print(FILE *file, const rostering_error *error);

/* Whose jobs to list and where. The plugin judges it at the first call: an error then names the key at fault. */
typedef struct rostering_config {
    const char *environment; /* stage or production; may be left out if scope is set */
    /* https, or http on loopback. Their hosts are the only ones that the plugin may call. */
    const char *auth_url, *base_url;
    const char *client_id, *client_secret;
    const char *customer_id, *user_id;
    const char *scope;      /* instead of the environment's */
    int64_t refresh_margin; /* seconds before its expiry that a token is renewed; 0: a minute, negative: none */
    bool allow_http;        /* http beyond loopback, where anyone on the way can read the secret */
    int64_t timeout_ms;     /* bounds one call with all its requests; 0: 30 s, negative: none */
    /*
     * Of a driver alone; may be NULL. Is called before each request, in its thread, to set options of your own on
     * libcurl's handle (a CURL *): a proxy, a certificate authority. Redirects stay off.
     */
    void (*prepare_curl)(void *curl, void *context);
    void *curl_context; /* must live as long as the client */
} rostering_config;

typedef struct rostering rostering;

/* Opens a client with the plugin in the file wasm. Nothing is sent yet, and none of config's text is kept. */
rostering_error *rostering_open(const char *wasm, const rostering_config *config, rostering **client);

/*
 * The same, but this library sends the requests, and the plugin's own HTTP is off. Threads that need a token share one
 * request for it; waiting for that is part of timeout_ms.
 */
rostering_error *rostering_open_driver(const char *wasm, const rostering_config *config, rostering **client);

/* No other thread may be in a call, nor begin one. */
void rostering_close(rostering *client);

/* A token. Its text belongs to it. */
typedef struct rostering_token {
    const char *access_token;
    const char *token_type; /* Bearer */
    int64_t expires_at;     /* Unix seconds */
    const char *cache_key;  /* names the client, environment and token URL that it belongs to */

    void *memory; /* the library's own */
} rostering_token;

/* Gives the token in use, or a new one. force asks for a new one in any case. */
rostering_error *rostering_get_token(rostering *client, bool force, rostering_token *token);
void rostering_token_free(rostering_token *token);

/* Prints when it expires, and only the first 8 characters of it. */
void rostering_token_print(FILE *file, const rostering_token *token);

/*
 * Takes a token that rostering_get_token gave, here or elsewhere, so that none is asked for. It costs nothing if the
 * plugin has it already. A token of another client, scope or token URL, or an expired one, is token_mismatch.
 */
rostering_error *rostering_set_token(rostering *client, const rostering_token *token);

/* Forgets the token, and the wait after failures. */
rostering_error *rostering_clear_token(rostering *client);

/*
 * A token as JSON text, to store it outside: access_token, token_type, expires_at and cache_key, so it holds the secret
 * part. The caller frees it. rostering_token_parse makes a token of it again.
 */
rostering_error *rostering_token_json(const rostering_token *token, char **json);
rostering_error *rostering_token_parse(const char *json, rostering_token *token);

/* What differs from the config in one call. */
typedef struct rostering_ids {
    const char *customer_id, *user_id;   /* instead of the config's, unless NULL */
    bool omit_customer_id, omit_user_id; /* leave the header out, whatever else is set */
} rostering_ids;

/* The service's answer, byte for byte, and a zero byte behind it that length does not count. */
typedef struct rostering_body {
    char *data;
    size_t length;
} rostering_body;

/* Lists the jobs. ids may be NULL. */
rostering_error *rostering_list_jobs(rostering *client, const rostering_ids *ids, rostering_body *jobs);
void rostering_body_free(rostering_body *body);

/* Not Authorization, CUSTOMER_ID, USER_ID, Host, Content-Length, Transfer-Encoding or Connection. */
typedef struct rostering_header {
    const char *name, *value;
} rostering_header;

/* A request to another path of the service. The plugin judges it, and adds the token and the ids. */
typedef struct rostering_request {
    const char *path;                /* begins with one slash, stays under base_url, and may have a query */
    const char *method;              /* GET if NULL; or HEAD, POST, PUT, PATCH, DELETE, OPTIONS */
    const rostering_header *headers; /* the last one's name is NULL; may be NULL */
    const char *body;                /* UTF-8; may be NULL; GET and HEAD have none */
    const rostering_ids *ids;        /* may be NULL */
} rostering_request;

/* Sends a request and gives the service's answer, as rostering_list_jobs does. */
rostering_error *rostering_send_request(rostering *client, const rostering_request *request, rostering_body *answer);

#endif
