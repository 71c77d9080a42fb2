<?php
// Lists the jobs with the C library, by PHP's FFI.
$c = FFI::cdef(<<<'C'
    typedef struct rostering_client rostering_client;
    typedef struct rostering_response rostering_response;
    typedef struct rostering_error rostering_error;
    bool rostering_client_open_from_env(rostering_client **client, rostering_error **error);
    bool rostering_list_jobs(rostering_client *client, void *call, rostering_response **jobs, rostering_error **error);
    void *rostering_response_body(rostering_response *response);
    size_t rostering_response_body_length(rostering_response *response);
    const char *rostering_error_code_text(rostering_error *error);
    const char *rostering_error_message(rostering_error *error);
    bool rostering_error_retryable(rostering_error *error);
    void rostering_response_free(rostering_response *response);
    void rostering_error_free(rostering_error *error);
    void rostering_client_free(rostering_client *client);
    C, 'librostering.so.0');

$client = $c->new('rostering_client *');
$jobs = $c->new('rostering_response *');
$error = $c->new('rostering_error *');
$good = $c->rostering_client_open_from_env(FFI::addr($client), FFI::addr($error)) // one for the program
    && $c->rostering_list_jobs($client, null, FFI::addr($jobs), FFI::addr($error));
if ($good) {
    echo FFI::string($c->rostering_response_body($jobs), $c->rostering_response_body_length($jobs));
} else {
    fprintf(STDERR, "%s: %s (retryable: %s)\n", $c->rostering_error_code_text($error),
        $c->rostering_error_message($error), $c->rostering_error_retryable($error) ? 'true' : 'false');
}
$c->rostering_response_free($jobs);
$c->rostering_error_free($error);
$c->rostering_client_free($client);
exit($good ? 0 : 1);
