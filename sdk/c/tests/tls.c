/* Sends a request to the URL of an argument with the certificates of this folder; without them, it must fail. */
#include <stdio.h>

#include <rostering.h>

/* send_to returns the status, or 0. */
static int send_to(const char *url, bool ca, bool certificate) {
    rostering_error *error = NULL;
    rostering_config *config = rostering_config_from_env(&error);
    rostering_config_set(config, "base_url", url, &error);
    if (ca) rostering_config_set(config, "ca_file", "ca.pem", &error);
    if (certificate) {
        rostering_config_set(config, "client_certificate_file", "client.pem", &error);
        rostering_config_set(config, "client_key_file", "client.key", &error);
    }
    rostering_client *client = rostering_client_open(config, &error);
    rostering_response *response = rostering_list_jobs(client, 10000, NULL, &error);
    int status = rostering_response_status(response);
    if (error != NULL) fprintf(stderr, "ca %d, certificate %d: %s\n", ca, certificate, rostering_error_text(error));
    rostering_response_free(response);
    rostering_client_free(client);
    rostering_config_free(config);
    rostering_error_free(error);
    return status;
}

int main(int argc, char **argv) {
    const char *url = argv[argc - 1];
    return send_to(url, true, true) == 200 && send_to(url, false, true) == 0 && send_to(url, true, false) == 0 ? 0 : 1;
}
