# Lists the jobs with the C library, by FFI::Platypus.
use strict;
use warnings;
use FFI::Platypus 2.00;
use FFI::Platypus::Buffer qw(buffer_to_scalar);

my $c = FFI::Platypus->new(api => 2, lib => 'librostering.so.0');
$c->attach(rostering_client_open_from_env => ['opaque*', 'opaque*'] => 'bool');
$c->attach(rostering_list_jobs => ['opaque', 'opaque', 'opaque*', 'opaque*'] => 'bool');
$c->attach(rostering_response_body => ['opaque'] => 'opaque');
$c->attach(rostering_response_body_length => ['opaque'] => 'size_t');
$c->attach(rostering_error_code_text => ['opaque'] => 'string');
$c->attach(rostering_error_message => ['opaque'] => 'string');
$c->attach(rostering_error_retryable => ['opaque'] => 'bool');
$c->attach($_ => ['opaque'] => 'void') for qw(rostering_response_free rostering_error_free rostering_client_free);

my ($client, $jobs, $error);
my $good = rostering_client_open_from_env(\$client, \$error) # one for the program
    && rostering_list_jobs($client, undef, \$jobs, \$error);
if ($good) {
    print buffer_to_scalar(rostering_response_body($jobs), rostering_response_body_length($jobs));
} else {
    printf STDERR "%s: %s (retryable: %s)\n", rostering_error_code_text($error), rostering_error_message($error),
        rostering_error_retryable($error) ? 'true' : 'false';
}
rostering_response_free($jobs);
rostering_error_free($error);
rostering_client_free($client);
exit($good ? 0 : 1);
