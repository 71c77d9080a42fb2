/*
 * Automatic Rostering for C and C++.
 *
 * Open one client when the program starts and share it: any thread may call it, and calls run concurrently. The plugin
 * decides what is sent; this library sends it, with libcurl.
 *
 * A function that can fail returns false, and then sets *error unless error is NULL. Functions copy their arguments
 * unless stated otherwise. What a function returns through a pointer belongs to the caller, and is NULL after a
 * failure. Free each type with its function, which accepts NULL: rostering_client_free, rostering_response_free,
 * rostering_token_free, rostering_error_free, rostering_store_free, rostering_cancel_free. The strings in a struct are
 * freed with it. Never call free() on any of these.
 *
 * Structs that the caller fills begin with their size, so that a program also works with a later library that has more
 * fields. The _init functions set it, and every other field to its default; size is sizeof the struct.
 */
#ifndef ROSTERING_H
#define ROSTERING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The version of this header, and the contract version that this library requires of a plugin. */
#define ROSTERING_VERSION "0.1.0"
#define ROSTERING_CONTRACT 2

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the version of the library at run time. */
const char *rostering_version(void);

/* An HTTP header or a query parameter. A list of them ends with one whose name is NULL. */
typedef struct rostering_pair {
    const char *name;
    const char *value;
} rostering_pair;

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
    ROSTERING_NETWORK_ERROR, /* including timeouts */
    /* Of this library: */
    ROSTERING_CANCELED,
    ROSTERING_CLOSED,        /* the client was closed before the call, or while it ran */
    ROSTERING_PLUGIN_FAILED, /* it could not be loaded, or it crashed */
    ROSTERING_STORE_FAILED,  /* it could not be opened */
    ROSTERING_OUT_OF_MEMORY,
} rostering_code;

/* Why a call failed. Unknown strings are NULL, unknown numbers 0. Contains neither the secret nor a token. */
typedef struct rostering_error {
    const char *text; /* for people, one line: the code, the message, the status and the OAuth error */
    const char *json; /* for programs and logs: the fields below except headers and curl_code */
    rostering_code code;
    const char *code_text; /* such as "invalid_input" */
    const char *message;   /* says how to fix it */
    bool retryable;        /* the same call may succeed later */
    const char *key;       /* the field of a struct here that caused it */
    int status;            /* of the response that caused it */
    const char *oauth_error;
    const char *oauth_error_description;
    int64_t retry_after;           /* seconds */
    const rostering_pair *headers; /* of a service_error: the response's */
    const char *body;              /* of a service_error: the response's as UTF-8, its first 64 KiB */
    size_t body_length;
    bool body_truncated;
    int curl_code; /* of a network_error: libcurl's CURLcode */
} rostering_error;

void rostering_error_free(rostering_error *error);

typedef struct rostering_config {
    size_t size;
    const char *environment; /* "stage" or "production"; not needed with a scope */
    const char *auth_url;    /* https, or http on loopback */
    const char *base_url;
    const char *client_id;
    const char *client_secret;
    const char *customer_id;
    const char *user_id;
    const char *scope;      /* overrides the environment's */
    int64_t refresh_margin; /* renew a token this many seconds before its expiry; default: 60 */
    bool allow_http;        /* allows http beyond loopback, where anyone on the network path can read the secret */
} rostering_config;

void rostering_config_init(rostering_config *config, size_t size);

/* Initializes config and sets what the variables ROSTERING_ENVIRONMENT, _AUTH_URL, _BASE_URL, _CLIENT_ID,
 * _CLIENT_SECRET, _CUSTOMER_ID, _USER_ID, _SCOPE, _REFRESH_MARGIN and _ALLOW_HTTP contain; an empty one counts as
 * unset. The strings remain those of the environment: open the client before it changes. */
bool rostering_config_from_env(rostering_config *config, size_t size, rostering_error **error);

/*
 * A store shares the token between clients. Its functions return 0, or on failure an errno, which is logged; no call
 * fails because of that. They are called concurrently, on threads of the library, and must return within timeout_ms.
 * Keys are at most 512 visible ASCII characters. Anyone who can read the store has the token; anyone who can write to
 * it chooses the token that is sent.
 */
typedef struct rostering_store {
    size_t size;
    /* Sets *value to a string that the library frees with free(), or to NULL if the key is missing or expired. */
    int (*get)(void *context, int64_t timeout_ms, const char *key, char **value);
    /* Sets the key if it is missing, atomically, and *added to whether it did. */
    int (*add)(void *context, int64_t timeout_ms, const char *key, const char *value, int64_t ttl_seconds, bool *added);
    /* Sets the key, whether or not it exists. */
    int (*set)(void *context, int64_t timeout_ms, const char *key, const char *value, int64_t ttl_seconds);
    void *context;
} rostering_store;

void rostering_store_init(rostering_store *store, size_t size);

/* Returns a store for the clients of one process, or NULL if memory ran out. */
rostering_store *rostering_memory_store_new(void);

/* Opens a store for the processes of one machine, including programs that use the libraries of other languages: a
 * folder, which is created if it is missing, of files that only their owner can read. */
bool rostering_file_store_new(const char *folder, rostering_store **store, rostering_error **error);

/* Frees a store that this library made. Free the clients that use it first. */
void rostering_store_free(rostering_store *store);

typedef enum rostering_log_level { ROSTERING_LOG_DEBUG, ROSTERING_LOG_WARN } rostering_log_level;

/* Special values of a timeout in milliseconds. All others must be positive. */
#define ROSTERING_NO_TIMEOUT INT64_MAX
#define ROSTERING_CLIENT_TIMEOUT INT64_MIN /* of a call: that of the client's options */

/* How a client works. */
typedef struct rostering_options {
    size_t size;
    const rostering_store *store; /* default: none. Its context must outlive the client */
    int64_t timeout_ms;           /* of a call with all its requests and waits; default: 30 seconds */
    size_t max_body; /* bytes of a response; default: 64 MiB. A longer one is a network_error that is not retryable */
    /* Called before each request, on the thread that sends it, to set options of libcurl's easy handle (a CURL *): a
     * proxy, a certificate authority. The library then sets those of the request; redirects stay off. curl_context
     * must outlive the client. */
    void (*prepare_curl)(void *curl, void *curl_context);
    void *curl_context;
    /* Called with each line of the log, on any thread, one line at a time: at debug for each response that the plugin
     * sees, at warn for what needs attention. A line contains neither the secret nor a token. The function must not
     * call this library. log_context must outlive the client. Default: no log. */
    void (*log)(void *log_context, rostering_log_level level, const char *line);
    void *log_context;
    /* Another build of the plugin, as a file or as bytes, in place of the one in this library. It must have this
     * library's contract. */
    const char *plugin_file;
    const void *plugin;
    size_t plugin_size;
} rostering_options;

void rostering_options_init(rostering_options *options, size_t size);

typedef struct rostering_client rostering_client;

/* Opens a client: loads the plugin, which checks the config. Sends nothing. options may be NULL, for the defaults. */
bool rostering_client_open(const rostering_config *config, const rostering_options *options, rostering_client **client,
    rostering_error **error);

/* Opens a client with the config of rostering_config_from_env and the default options. */
bool rostering_client_open_from_env(rostering_client **client, rostering_error **error);

/* Return a view of the client, which shares everything with it, but whose calls are for another customer or user. NULL
 * as the id sends no such header. A view of a view has both ids. The caller frees it, before or after the client. They
 * return NULL if memory ran out. */
rostering_client *rostering_client_for_customer(rostering_client *client, const char *customer_id);
rostering_client *rostering_client_for_user(rostering_client *client, const char *user_id);

/* Closes the client with all its views: later calls fail with ROSTERING_CLOSED. Waits up to timeout_ms for the calls
 * that began before, then cancels the rest, which also fail with ROSTERING_CLOSED. Returns whether none had to be
 * canceled. 0 cancels at once. A token request for which no call waits is always canceled. */
bool rostering_client_close(rostering_client *client, int64_t timeout_ms);

/* Frees a client or a view, which no other thread may still use. Freeing the last of them closes the client without
 * waiting. */
void rostering_client_free(rostering_client *client);

/* A handle that cancels calls from another thread. It may serve many calls, of any client; free it after they ended.
 * rostering_cancel_new returns NULL if memory or file descriptors ran out. */
typedef struct rostering_cancel rostering_cancel;
rostering_cancel *rostering_cancel_new(void);
void rostering_cancel_free(rostering_cancel *cancel);

/* Cancels the handle's calls, also later ones: they fail with ROSTERING_CANCELED. Safe in a signal handler. A token
 * request continues, for the next call; a response of the service that has arrived is returned. */
void rostering_cancel_calls(rostering_cancel *cancel);

/* The options of one call. Pass NULL for the defaults. */
typedef struct rostering_call {
    size_t size;
    int64_t timeout_ms; /* default: ROSTERING_CLIENT_TIMEOUT */
    rostering_cancel *cancel;
} rostering_call;

void rostering_call_init(rostering_call *call, size_t size);

typedef struct rostering_token {
    size_t size;
    const char *access_token;
    const char *token_type; /* default: Bearer */
    int64_t expires_at;     /* Unix seconds */
    const char *cache_key;  /* names the token URL, client and scope; usable as a key in a store */
} rostering_token;

void rostering_token_init(rostering_token *token, size_t size);
void rostering_token_free(rostering_token *token);

typedef struct rostering_token_request {
    size_t size;
    bool force;          /* request a new token; if that fails, the cached one is kept */
    const char *refused; /* an access token that the service refused with a 401: it is replaced */
} rostering_token_request;

void rostering_token_request_init(rostering_token_request *request, size_t size);

/* Returns a token for requests of your own: the cached one, or a new one. request and call may be NULL. */
bool rostering_get_token(rostering_client *client, const rostering_token_request *request, const rostering_call *call,
    rostering_token **token, rostering_error **error);

/* Caches a token that another client with the same config got. */
bool rostering_set_token(rostering_client *client, const rostering_token *token, rostering_error **error);

/* Forgets the token and the backoff. */
bool rostering_clear_token(rostering_client *client, rostering_error **error);

/* A response of the service: a 2xx, or a 304 to a conditional request. */
typedef struct rostering_response {
    int status;
    const rostering_pair *headers;
    const char *body; /* any bytes, with a zero byte behind them */
    size_t body_length;
} rostering_response;

void rostering_response_free(rostering_response *response);

/* Returns the first value of the header of that name, in any case, or NULL. It belongs to the list, which may be NULL.
 */
const char *rostering_header(const rostering_pair *headers, const char *name);

/* Lists the jobs. call may be NULL. */
bool rostering_list_jobs(
    rostering_client *client, const rostering_call *call, rostering_response **response, rostering_error **error);

#define ROSTERING_READ_FAILED ((size_t)-1)

typedef struct rostering_request {
    size_t size;
    const char *path;              /* under base_url, with its query; begins with a slash */
    const char *method;            /* default: GET */
    const rostering_pair *headers; /* in addition to those that the plugin sets */
    const rostering_pair *query;   /* parameters that are encoded and added to the path */
    const char *json;              /* a JSON body; sets Content-Type unless headers does */
    /* In place of json: a body of bytes, or a function that reads the body during the call. */
    const void *body;
    size_t body_length; /* also of what read_body reads; 0 if that is unknown */
    /* Reads up to size bytes and returns how many; 0 at the end, or ROSTERING_READ_FAILED. */
    size_t (*read_body)(void *body_context, void *buffer, size_t size);
    /* Returns to the start of the body, to send it again after a 401. If it is NULL or fails, the call ends with a
     * retryable ROSTERING_SERVICE_UNAUTHORIZED: the next call gets a new token. */
    bool (*rewind_body)(void *body_context);
    void *body_context;
} rostering_request;

void rostering_request_init(rostering_request *request, size_t size);

/* Sends a request to the service. call may be NULL. */
bool rostering_send_request(rostering_client *client, const rostering_request *request, const rostering_call *call,
    rostering_response **response, rostering_error **error);

/* The state of a retry loop, which begins with its _init. */
typedef struct rostering_retries {
    size_t size;
    int64_t timeout_ms;       /* of all attempts and waits; default: 60 seconds */
    rostering_cancel *cancel; /* ends a wait */
    int64_t began_ms;         /* this and what follows is set by the library */
    int64_t attempts;
} rostering_retries;

void rostering_retries_init(rostering_retries *retries, size_t size);

/*
 * Waits for the next attempt:
 *
 *     while (!rostering_list_jobs(client, NULL, &jobs, &error) && rostering_retry(&retries, &error)) {
 *     }
 *
 * Returns true after error->retry_after, or after 1 second, doubling to 30, with up to a tenth of jitter; it frees
 * *error and sets it to NULL. Returns false at once, with *error unchanged, if that is not retryable or the wait would
 * end after the timeout. Returns false with a ROSTERING_CANCELED if it is canceled.
 */
bool rostering_retry(rostering_retries *retries, rostering_error **error);

/*
 * The fields of structs, for programs in other languages, which can call functions of C but would have to copy its
 * structs. A string is freed with the object that it belongs to.
 */

const char *rostering_error_text(const rostering_error *error);
const char *rostering_error_json(const rostering_error *error);
const char *rostering_error_code_text(const rostering_error *error);
const char *rostering_error_message(const rostering_error *error);
bool rostering_error_retryable(const rostering_error *error);
int64_t rostering_error_retry_after(const rostering_error *error);

int rostering_response_status(const rostering_response *response);
const char *rostering_response_header(const rostering_response *response, const char *name);
const char *rostering_response_body(const rostering_response *response);
size_t rostering_response_body_length(const rostering_response *response);

const char *rostering_token_access_token(const rostering_token *token);

#ifdef __cplusplus
}
#endif

#endif
