/* The least that a program needs; README.md shows it. */
#include <stdio.h>
#include <stdlib.h>

#include "rostering.h"

int main(void) {
    // snippet
    rostering_config config = {.environment = "stage",
        .auth_url = getenv("ROSTERING_AUTH_URL"),
        .base_url = getenv("ROSTERING_BASE_URL"),
        .client_id = getenv("ROSTERING_CLIENT_ID"),
        .client_secret = getenv("ROSTERING_CLIENT_SECRET"),
        .customer_id = getenv("ROSTERING_CUSTOMER_ID"),
        .user_id = getenv("ROSTERING_USER_ID")};
    rostering *client = NULL; // one, when the program starts
    rostering_body jobs = {0};
    rostering_error *error = rostering_open(getenv("ROSTERING_WASM"), &config, &client);
    if (error == NULL) {
        error = rostering_list_jobs(client, NULL, &jobs); // from any thread, as often as you like
    }
    if (error == NULL) {
        fwrite(jobs.data, 1, jobs.length, stdout);
    } else {
        rostering_error_print(stderr, error); // error->retryable, error->retry_after …
    }
    rostering_body_free(&jobs);
    rostering_error_free(error);
    // end of snippet
    rostering_close(client);
    return EXIT_SUCCESS;
}
