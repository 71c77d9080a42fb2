# Lists the jobs with the C library, by ruby-ffi.
require 'ffi'

module Rostering
  extend FFI::Library
  ffi_lib 'librostering.so.0'
  attach_function :rostering_client_open_from_env, %i[pointer pointer], :bool
  attach_function :rostering_list_jobs, %i[pointer pointer pointer pointer], :bool, blocking: true
  attach_function :rostering_response_body, [:pointer], :pointer
  attach_function :rostering_response_body_length, [:pointer], :size_t
  attach_function :rostering_error_code_text, [:pointer], :string
  attach_function :rostering_error_message, [:pointer], :string
  attach_function :rostering_error_retryable, [:pointer], :bool
  attach_function :rostering_response_free, [:pointer], :void
  attach_function :rostering_error_free, [:pointer], :void
  attach_function :rostering_client_free, [:pointer], :void
end

client, jobs, error = Array.new(3) { FFI::MemoryPointer.new(:pointer) } # each holds NULL
good = Rostering.rostering_client_open_from_env(client, error) && # one for the program
       Rostering.rostering_list_jobs(client.read_pointer, nil, jobs, error)
jobs, error, client = [jobs, error, client].map(&:read_pointer)
if good
  print Rostering.rostering_response_body(jobs).read_bytes(Rostering.rostering_response_body_length(jobs))
else
  warn format('%<code>s: %<message>s (retryable: %<retryable>s)', code: Rostering.rostering_error_code_text(error),
              message: Rostering.rostering_error_message(error), retryable: Rostering.rostering_error_retryable(error))
end
Rostering.rostering_response_free(jobs)
Rostering.rostering_error_free(error)
Rostering.rostering_client_free(client)
exit good
