/* Lists the jobs with the library; README.md shows it. */
#include <stdio.h>
#include <stdlib.h>

#include <rostering.h>

int main(void) {
    // snippet
    const rostering_config config = {.environment = ROSTERING_STAGE,
        .auth_url = getenv("ROSTERING_AUTH_URL"),
        .base_url = getenv("ROSTERING_BASE_URL"),
        .client_id = getenv("ROSTERING_CLIENT_ID"),
        .client_secret = getenv("ROSTERING_CLIENT_SECRET"),
        .customer_id = getenv("ROSTERING_CUSTOMER_ID"),
        .user_id = getenv("ROSTERING_USER_ID")};
    rostering *client = NULL; // one for the program
    rostering_response jobs = {0};
    rostering_error *error = NULL;
    if (rostering_open(&config, NULL, &client, &error) && rostering_list_jobs(client, NULL, NULL, &jobs, &error)) {
        fwrite(jobs.body, 1, jobs.body_length, stdout);
    } else {
        rostering_error_print(stderr, error); // error->code, error->retryable, error->retry_after …
    }
    rostering_response_free(&jobs);
    rostering_error_free(error);
    rostering_free(client);
    // end of snippet
    return EXIT_SUCCESS;
}
