/* Lists the jobs with the library. The library's page shows this. */
// snippet
#include <rostering.h>
#include <stdio.h>

int main(void) {
    rostering_error *error = NULL;
    rostering_config *config = rostering_config_from_env(&error);
    rostering_client *client = rostering_client_open(config, &error); // one for the program
    rostering_response *jobs = rostering_list_jobs(client, ROSTERING_CLIENT_TIMEOUT, NULL, &error);
    if (error == NULL) {
        fwrite(rostering_response_body(jobs), 1, rostering_response_body_length(jobs), stdout);
    } else {
        fprintf(stderr, "%s\n", rostering_error_text(error)); // or its code, retryable, retry_after …
        const char *body = rostering_error_field(error, "body");
        if (body != NULL) fprintf(stderr, "%.500s\n", body);
    }
    int status = error == NULL ? 0 : 1;
    rostering_response_free(jobs);
    rostering_client_free(client);
    rostering_config_free(config);
    rostering_error_free(error);
    return status;
}
// end of snippet
