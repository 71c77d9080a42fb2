# Lists the jobs with the C library, by FFI::Platypus.
use strict;
use warnings;
use FFI::Platypus 2.00;
use FFI::Platypus::Buffer qw(buffer_to_scalar);

my $c = FFI::Platypus->new(api => 2, lib => 'librostering.so.0.1');
$c->attach(rostering_config_from_env => ['opaque*'] => 'opaque');
$c->attach(rostering_client_open => ['opaque', 'opaque*'] => 'opaque');
$c->attach(rostering_list_jobs => ['opaque', 'sint64', 'opaque', 'opaque*'] => 'opaque');
$c->attach(rostering_response_body => ['opaque'] => 'opaque');
$c->attach(rostering_response_body_length => ['opaque'] => 'size_t');
$c->attach(rostering_error_text => ['opaque'] => 'string'); # or its code, retryable …
$c->attach("rostering_${_}_free" => ['opaque'] => 'void') for qw(response error client config);

my $error;
my $config = rostering_config_from_env(\$error);
my $client = rostering_client_open($config, \$error); # one for the program
my $jobs = rostering_list_jobs($client, 0, undef, \$error);
my $good = !defined $error;
if ($good) {
    print buffer_to_scalar(rostering_response_body($jobs), rostering_response_body_length($jobs));
} else {
    print STDERR rostering_error_text($error), "\n";
}
rostering_response_free($jobs);
rostering_client_free($client);
rostering_config_free($config);
rostering_error_free($error);
exit($good ? 0 : 1);
