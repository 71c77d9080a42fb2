<?php
// Lists the jobs with the C library, by PHP's FFI.
$c = FFI::cdef(<<<'C'
    typedef struct rostering_config rostering_config;
    typedef struct rostering_client rostering_client;
    typedef struct rostering_response rostering_response;
    typedef struct rostering_error rostering_error;
    rostering_config *rostering_config_from_env(rostering_error **error);
    rostering_client *rostering_client_open(rostering_config *config, rostering_error **error);
    rostering_response *rostering_list_jobs(rostering_client *client, int64_t timeout, void *cancel, rostering_error **error);
    void *rostering_response_body(rostering_response *response);
    size_t rostering_response_body_length(rostering_response *response);
    const char *rostering_error_text(rostering_error *error);
    void rostering_response_free(rostering_response *response);
    void rostering_error_free(rostering_error *error);
    void rostering_client_free(rostering_client *client);
    void rostering_config_free(rostering_config *config);
    C, 'librostering.so.0.1');

$error = $c->new('rostering_error *');
$config = $c->rostering_config_from_env(FFI::addr($error));
$client = $c->rostering_client_open($config, FFI::addr($error)); // one for the program
$jobs = $c->rostering_list_jobs($client, 0, null, FFI::addr($error));
$good = FFI::isNull($error);
if ($good) {
    echo FFI::string($c->rostering_response_body($jobs), $c->rostering_response_body_length($jobs));
} else {
    fwrite(STDERR, $c->rostering_error_text($error) . "\n"); // or its code, retryable …
}
$c->rostering_response_free($jobs);
$c->rostering_client_free($client);
$c->rostering_config_free($config);
$c->rostering_error_free($error);
exit($good ? 0 : 1);
