// The same as jobs.c, in C++.
#include <cstdlib>
#include <iostream>
#include <memory>

#include <rostering.h>

// freed frees what the library returned.
template <auto function> struct freed {
    template <typename T> void operator()(T *pointer) const {
        function(pointer);
    }
};
using client_pointer = std::unique_ptr<rostering_client, freed<rostering_client_free>>;
using response_pointer = std::unique_ptr<rostering_response, freed<rostering_response_free>>;
using error_pointer = std::unique_ptr<rostering_error, freed<rostering_error_free>>;

int main() {
    rostering_config config;
    rostering_client *opened = nullptr;
    rostering_response *listed = nullptr;
    rostering_error *failed = nullptr;
    bool good = rostering_config_from_env(&config, sizeof config, &failed) &&
                rostering_client_open(&config, nullptr, &opened, &failed) &&
                rostering_list_jobs(opened, nullptr, &listed, &failed);
    client_pointer client(opened);
    response_pointer jobs(listed);
    error_pointer error(failed);
    if (!good) {
        std::cerr << error->text << '\n';
        return EXIT_FAILURE;
    }
    std::cout.write(jobs->body, static_cast<std::streamsize>(jobs->body_length));
    return EXIT_SUCCESS;
}
