/* Lists the jobs with the library. The library's page shows this. */
// snippet
#include <rostering.h>
#include <stdio.h>

int main(void) {
    rostering_client *client = NULL; // one for the program
    rostering_response *jobs = NULL;
    rostering_error *error = NULL;
    if (rostering_client_open_from_env(&client, &error) && rostering_list_jobs(client, NULL, &jobs, &error)) {
        fwrite(jobs->body, 1, jobs->body_length, stdout);
    } else {
        fprintf(stderr, "%s\n", error->text); // error->code, error->retryable, error->retry_after …
    }
    int status = error == NULL ? 0 : 1;
    rostering_response_free(jobs);
    rostering_error_free(error);
    rostering_client_free(client);
    return status;
}
// end of snippet
