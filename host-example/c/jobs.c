/* Lists the jobs with the library; its README.md shows this. */
#include <stdio.h>
#include <stdlib.h>

#include <rostering.h>

int main(void) {
    // snippet
    rostering_config config;
    rostering_client *client = NULL; // one for the program
    rostering_response *jobs = NULL;
    rostering_error *error = NULL;
    if (rostering_config_from_env(&config, sizeof config, &error) &&
        rostering_client_open(&config, NULL, &client, &error) && rostering_list_jobs(client, NULL, &jobs, &error)) {
        fwrite(jobs->body, 1, jobs->body_length, stdout);
    } else {
        fprintf(stderr, "%s\n", error->text); // error->code, error->retryable, error->retry_after …
    }
    int status = error == NULL ? EXIT_SUCCESS : EXIT_FAILURE;
    rostering_response_free(jobs);
    rostering_error_free(error);
    rostering_client_free(client);
    return status;
    // end of snippet
}
