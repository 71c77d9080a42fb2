/*
 * Automatic Rostering for C and C++.
 *
 * Open one client when the program starts and share it: any thread may call it, and calls run concurrently. The plugin
 * decides what is sent; this library sends it, with libcurl.
 *
 * Ownership: functions copy what they are given, except where it says so here. What they return through a pointer
 * belongs to the caller, who frees it with the function named here; after a failure it is empty, and freeing it is
 * harmless. A function that can fail returns false, and sets *error unless error is NULL.
 */
#ifndef ROSTERING_H
#define ROSTERING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The version of this header, and of the contract that a plugin must have for this library. */
#define ROSTERING_VERSION "0.1.0"
#define ROSTERING_CONTRACT 2

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* all else in the library is hidden */

/* Returns the version of the library that the program runs with. */
const char *rostering_version(void);

typedef enum rostering_code {
    ROSTERING_UNKNOWN_CODE, /* of a later plugin: see code_text */
    ROSTERING_INVALID_INPUT,
    ROSTERING_CONFIG_MISSING,
    ROSTERING_CONFIG_INVALID,
    ROSTERING_CLOCK_UNUSABLE,
    ROSTERING_TOKEN_ENDPOINT_REJECTED,
    ROSTERING_TOKEN_ENDPOINT_UNAVAILABLE,
    ROSTERING_TOKEN_RESPONSE_INVALID,
    ROSTERING_TOKEN_MISMATCH,
    ROSTERING_SERVICE_UNAUTHORIZED,
    ROSTERING_SERVICE_ERROR,
    ROSTERING_NETWORK_ERROR, /* a time-out, too */
    /* Of this library: */
    ROSTERING_CANCELED,
    ROSTERING_CLOSED,        /* the client was closed before the call */
    ROSTERING_PLUGIN_FAILED, /* it could not be loaded, or broke */
    ROSTERING_OUT_OF_MEMORY,
} rostering_code;

/* Why a call failed. An unknown text is NULL, an unknown number 0. Holds neither secret nor token. */
typedef struct rostering_error {
    rostering_code code;
    const char *code_text; /* such as "invalid_input" */
    const char *message;   /* says what to do */
    bool retryable;        /* the same call may succeed later */
    const char *key;       /* the config key or input field at fault */
    int status;            /* of the answer at fault */
    const char *oauth_error, *oauth_error_description;
    int64_t retry_after; /* seconds */
    const char *body;    /* the service's answer, its first 64 KiB */
    size_t body_length;
    bool body_truncated;
    void *memory; /* the library's */
} rostering_error;

void rostering_error_free(rostering_error *error);

/* Prints a line: the code, a colon, the message. */
void rostering_error_print(FILE *file, const rostering_error *error);

/* Returns all fields as JSON, which the caller frees with free(), or NULL if memory ran out. */
char *rostering_error_json(const rostering_error *error);

typedef enum rostering_environment {
    ROSTERING_NO_ENVIRONMENT, /* scope is set instead */
    ROSTERING_STAGE,
    ROSTERING_PRODUCTION,
} rostering_environment;

typedef struct rostering_config {
    rostering_environment environment;
    const char *auth_url, *base_url; /* https, or http on loopback */
    const char *client_id, *client_secret;
    const char *customer_id, *user_id;
    const char *scope;      /* overrides the environment's */
    int64_t refresh_margin; /* seconds before its expiry at which a token is renewed; 0: 60, negative: none */
    bool allow_http;        /* http beyond loopback, where anyone on the way can read the secret */
} rostering_config;

/*
 * A store shares the token between clients. Its functions return false on failure; they are called concurrently, on
 * threads of the library, and must return within timeout_ms. Keys are at most 512 visible ASCII characters. Anyone who
 * can read the store has the token; anyone who can write to it chooses the token that is sent.
 */
typedef struct rostering_store {
    /* *value is malloc'd; NULL if the key is missing or expired */
    bool (*get)(void *context, int64_t timeout_ms, const char *key, char **value);
    /* Sets the key if it is missing, atomically. */
    bool (*add)(
        void *context, int64_t timeout_ms, const char *key, const char *value, int64_t ttl_seconds, bool *added);
    bool (*set)(void *context, int64_t timeout_ms, const char *key, const char *value, int64_t ttl_seconds);
    void *context;
} rostering_store;

/* For the clients of one process, and for those of one machine: a file, which only its owner can read. NULL if memory
 * ran out. Free it after the clients. */
rostering_store *rostering_memory_store_new(void);
rostering_store *rostering_file_store_new(const char *path);
void rostering_store_free(rostering_store *store);

typedef enum rostering_log_level { ROSTERING_LOG_DEBUG, ROSTERING_LOG_WARN } rostering_log_level;

/* How a client works. All zero is fine. */
typedef struct rostering_options {
    const rostering_store *store; /* must outlive the client; NULL: none */
    int64_t timeout_ms;           /* of a call, with all its requests; 0: 30 s, negative: none */
    size_t max_body;              /* bytes of an answer; a longer one is a network_error; 0: 64 MiB */
    /* Called before each request, on the thread that sends it, to set further options of libcurl's easy handle (a
     * CURL *): a proxy, a certificate authority. Redirects stay off. curl_context must outlive the client. */
    void (*prepare_curl)(void *curl, void *curl_context);
    void *curl_context;
    /* Called with each line that the plugin logs, on any thread, one line at a time: at debug for each answer that the
     * plugin sees, at warn for what needs attention. Holds neither secret nor token. Must not call this library.
     * log_context must outlive the client. NULL: no log. */
    void (*log)(void *log_context, rostering_log_level level, const char *line);
    void *log_context;
    /* Another build of the plugin, as a file or as bytes, in place of the one in this library. One of another contract
     * is refused. */
    const char *plugin_file;
    const void *plugin;
    size_t plugin_size;
} rostering_options;

typedef struct rostering rostering;

/* Loads the plugin, which checks the config. Sends nothing. options may be NULL. */
bool rostering_open(
    const rostering_config *config, const rostering_options *options, rostering **client, rostering_error **error);

/* Waits for the calls made before it, and what they left behind. Later calls fail with ROSTERING_CLOSED. */
void rostering_close(rostering *client);

/* Closes the client and frees it; no other thread may use it any more. NULL is fine. */
void rostering_free(rostering *client);

/* Cancels calls from another thread. A handle may serve many calls, of any client; free it after them. NULL if memory
 * or files ran out. */
typedef struct rostering_cancel rostering_cancel;
rostering_cancel *rostering_cancel_new(void);
void rostering_cancel_free(rostering_cancel *cancel);

/* Makes the handle's calls fail with ROSTERING_CANCELED, later ones too. Safe in a signal handler. A token request goes
 * on, for the next call; an answer of the service that has arrived is returned. */
void rostering_cancel_calls(rostering_cancel *cancel);

/* What applies to one call. All zero, or NULL instead, is fine. */
typedef struct rostering_call {
    int64_t timeout_ms; /* in place of the options', unless 0 */
    rostering_cancel *cancel;
    int64_t now; /* Unix seconds, in place of the clock's, unless 0 */
} rostering_call;

typedef struct rostering_token {
    const char *access_token;
    const char *token_type; /* Bearer */
    int64_t expires_at;     /* Unix seconds */
    const char *cache_key;  /* names the token URL, client and scope; fit as a key in a store */
    void *memory;           /* the library's */
} rostering_token;

typedef struct rostering_token_request {
    bool force;          /* request a new token; if that fails, the cached one is kept */
    const char *refused; /* an access token that the service answered 401 to: it is replaced */
} rostering_token_request;

/* Returns a token for requests of your own: the cached one, or a new one. request and call may be NULL. */
bool rostering_get_token(rostering *client, const rostering_token_request *request, const rostering_call *call,
    rostering_token *token, rostering_error **error);
void rostering_token_free(rostering_token *token);

/* Caches a token of another client of the same config. */
bool rostering_set_token(rostering *client, const rostering_token *token, rostering_error **error);

/* Forgets the token and the back-off. */
bool rostering_clear_token(rostering *client, rostering_error **error);

typedef struct rostering_ids {
    const char *customer_id, *user_id;   /* in place of the config's, unless NULL */
    bool omit_customer_id, omit_user_id; /* leave the header out */
} rostering_ids;

typedef struct rostering_header {
    const char *name, *value;
} rostering_header;

/* A 2xx of the service. */
typedef struct rostering_response {
    int status;
    rostering_header *headers; /* the last one's name is NULL */
    char *body;                /* any bytes, with a zero byte behind them */
    size_t body_length;
} rostering_response;

void rostering_response_free(rostering_response *response);

/* Returns the first value of a header, in any case, or NULL. It belongs to the response. */
const char *rostering_response_header(const rostering_response *response, const char *name);

/* Lists the jobs. ids and call may be NULL. */
bool rostering_list_jobs(rostering *client, const rostering_ids *ids, const rostering_call *call,
    rostering_response *response, rostering_error **error);

/* A request's body: bytes, or a function that reads them. Used during the call alone. */
typedef struct rostering_body {
    const void *data;
    size_t length; /* of what is read, too, or 0 if that is unknown */
    /* Reads up to size bytes and returns how many; 0 at the end, or ROSTERING_READ_FAILED. */
    size_t (*read)(void *context, void *buffer, size_t size);
    /* Goes back to the start, to send the body again after a 401. Where it is NULL or fails, the call ends with
     * service_unauthorized, retryable: the next call gets a new token. */
    bool (*rewind)(void *context);
    void *context;
} rostering_body;
#define ROSTERING_READ_FAILED ((size_t)-1)

typedef struct rostering_request {
    const char *path;                /* under base_url, with its query; begins with a slash */
    const char *method;              /* NULL: GET */
    const rostering_header *headers; /* beside the plugin's; the last one's name is NULL; may be NULL */
    rostering_body body;             /* all zero: none */
    rostering_ids ids;
} rostering_request;

/* Sends a request to the service. call may be NULL. */
bool rostering_send_request(rostering *client, const rostering_request *request, const rostering_call *call,
    rostering_response *response, rostering_error **error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
