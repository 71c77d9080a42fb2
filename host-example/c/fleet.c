/*
 * One process of a fleet that shares a token through ROSTERING_STORE: the URL of a Redis server, or a folder; without
 * it, nothing is shared. Each line on standard input is a number of calls to make; for each, it prints a line of JSON,
 * such as
 * {"calls":5,"token":"1f2e3d4c","expires_at":1800000000}, in which token is the beginning of its SHA-256.
 */
#include <inttypes.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rostering.h>

static void make_calls(rostering_client *client, long calls, rostering_error **error) {
    for (long i = 0; i < calls; i++) {
        rostering_response_free(rostering_list_jobs(client, ROSTERING_CLIENT_TIMEOUT, NULL, error));
    }
    if (calls == 0) {
        puts("{\"calls\":0}");
        return;
    }
    rostering_token *token = rostering_get_token(client, false, NULL, ROSTERING_CLIENT_TIMEOUT, NULL, error);
    if (token == NULL) return;
    const char *text = rostering_token_access_token(token);
    unsigned char hash[EVP_MAX_MD_SIZE];
    EVP_Digest(text, strlen(text), hash, NULL, EVP_sha256(), NULL);
    printf("{\"calls\":%ld,\"token\":\"%02x%02x%02x%02x\",\"expires_at\":%" PRId64 "}\n", calls, hash[0], hash[1],
        hash[2], hash[3], rostering_token_expires_at(token));
    rostering_token_free(token);
}

static rostering_client *open_client(rostering_error **error) {
    const char *where = getenv("ROSTERING_STORE");
    rostering_config *config = rostering_config_from_env(error);
    rostering_store *store = NULL;
    if (where != NULL) {
        bool redis = strncmp(where, "redis", 5) == 0 && strstr(where, "://") != NULL;
        store = redis ? rostering_redis_store_new(where, error) : rostering_file_store_new(where, error);
    }
    rostering_config_set_store(config, store);
    rostering_client *client = rostering_client_open(config, error);
    rostering_store_free(store);
    rostering_config_free(config);
    return client;
}

int main(void) {
    rostering_error *error = NULL;
    rostering_client *client = open_client(&error);
    char line[32];
    while (error == NULL && fgets(line, sizeof line, stdin) != NULL) {
        make_calls(client, strtol(line, NULL, 10), &error);
        fflush(stdout);
    }
    int status = error == NULL ? EXIT_SUCCESS : EXIT_FAILURE;
    if (error != NULL) fprintf(stderr, "%s\n", rostering_error_text(error));
    rostering_error_free(error);
    rostering_client_free(client);
    return status;
}
