// The same as jobs.c, in C++.
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string_view>

#include <rostering.h>

// owned frees what the library returned.
template <auto function> struct freed {
    template <typename T> void operator()(T *pointer) const {
        function(pointer);
    }
};
template <typename T, auto function> using owned = std::unique_ptr<T, freed<function>>;

int main() {
    rostering_error *failed = nullptr;
    owned<rostering_config, rostering_config_free> config(rostering_config_from_env(&failed));
    owned<rostering_client, rostering_client_free> client(rostering_client_open(config.get(), &failed));
    owned<rostering_response, rostering_response_free> jobs(
        rostering_list_jobs(client.get(), ROSTERING_CLIENT_TIMEOUT, nullptr, &failed));
    owned<rostering_error, rostering_error_free> error(failed);
    if (error) {
        std::cerr << rostering_error_text(error.get()) << '\n';
        if (const char *body = rostering_error_field(error.get(), "body")) {
            std::cerr << std::string_view(body).substr(0, 500) << '\n';
        }
        return EXIT_FAILURE;
    }
    std::cout.write(
        rostering_response_body(jobs.get()), static_cast<std::streamsize>(rostering_response_body_length(jobs.get())));
    return EXIT_SUCCESS;
}
