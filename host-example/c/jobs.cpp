// The same as jobs.c, in C++.
#include <cstdlib>
#include <iostream>
#include <memory>

#include <rostering.h>

int main() {
    rostering_config config{};
    config.environment = ROSTERING_STAGE;
    config.auth_url = std::getenv("ROSTERING_AUTH_URL");
    config.base_url = std::getenv("ROSTERING_BASE_URL");
    config.client_id = std::getenv("ROSTERING_CLIENT_ID");
    config.client_secret = std::getenv("ROSTERING_CLIENT_SECRET");
    config.customer_id = std::getenv("ROSTERING_CUSTOMER_ID");
    config.user_id = std::getenv("ROSTERING_USER_ID");
    rostering *opened = nullptr;
    rostering_response jobs{};
    rostering_error *error = nullptr;
    bool good = rostering_open(&config, nullptr, &opened, &error);
    std::unique_ptr<rostering, decltype(&rostering_free)> client(opened, rostering_free);
    if (good && rostering_list_jobs(client.get(), nullptr, nullptr, &jobs, &error)) {
        std::cout.write(jobs.body, static_cast<std::streamsize>(jobs.body_length));
    } else {
        rostering_error_print(stderr, error);
    }
    rostering_response_free(&jobs);
    rostering_error_free(error);
    return good && error == nullptr ? EXIT_SUCCESS : EXIT_FAILURE;
}
