/*
 * One process of a fleet that shares a token through the folder that ROSTERING_STORE names; without it, nothing is
 * shared. Each line on standard input is a number of calls to make; for each, it prints a line of JSON, such as
 * {"calls":5,"token":"1f2e3d4c","expires_at":1800000000}, in which token is the beginning of its SHA-256.
 */
#include <inttypes.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rostering.h>

static bool make_calls(rostering_client *client, long calls, rostering_error **error) {
    for (long i = 0; i < calls; i++) {
        rostering_response *jobs = NULL;
        if (!rostering_list_jobs(client, NULL, &jobs, error)) return false;
        rostering_response_free(jobs);
    }
    if (calls == 0) {
        puts("{\"calls\":0}");
        return true;
    }
    rostering_token *token = NULL;
    if (!rostering_get_token(client, NULL, NULL, &token, error)) return false;
    unsigned char hash[EVP_MAX_MD_SIZE];
    EVP_Digest(token->access_token, strlen(token->access_token), hash, NULL, EVP_sha256(), NULL);
    printf("{\"calls\":%ld,\"token\":\"%02x%02x%02x%02x\",\"expires_at\":%" PRId64 "}\n", calls, hash[0], hash[1],
        hash[2], hash[3], token->expires_at);
    rostering_token_free(token);
    return true;
}

static bool open_client(rostering_store **store, rostering_client **client, rostering_error **error) {
    rostering_config config;
    rostering_options options;
    rostering_options_init(&options, sizeof options);
    const char *folder = getenv("ROSTERING_STORE");
    if (folder != NULL && !rostering_file_store_new(folder, store, error)) return false;
    options.store = *store;
    return rostering_config_from_env(&config, sizeof config, error) &&
           rostering_client_open(&config, &options, client, error);
}

int main(void) {
    rostering_store *store = NULL;
    rostering_client *client = NULL;
    rostering_error *error = NULL;
    bool good = open_client(&store, &client, &error);
    char line[32];
    while (good && fgets(line, sizeof line, stdin) != NULL) {
        good = make_calls(client, strtol(line, NULL, 10), &error);
        fflush(stdout);
    }
    if (!good) fprintf(stderr, "%s\n", error->text);
    rostering_error_free(error);
    rostering_client_free(client);
    rostering_store_free(store);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
