# Lists the jobs with the C library, by ruby-ffi.
require 'ffi'

module Rostering
  extend FFI::Library
  ffi_lib 'librostering.so.0.1'
  attach_function :rostering_config_from_env, [:pointer], :pointer
  attach_function :rostering_client_open, %i[pointer pointer], :pointer
  attach_function :rostering_list_jobs, %i[pointer int64 pointer pointer], :pointer, blocking: true
  attach_function :rostering_response_body, [:pointer], :pointer
  attach_function :rostering_response_body_length, [:pointer], :size_t
  attach_function :rostering_error_text, [:pointer], :string # or its code, retryable …
  attach_function :rostering_response_free, [:pointer], :void
  attach_function :rostering_error_free, [:pointer], :void
  attach_function :rostering_client_free, [:pointer], :void
  attach_function :rostering_config_free, [:pointer], :void
end

failed = FFI::MemoryPointer.new(:pointer) # holds NULL
config = Rostering.rostering_config_from_env(failed)
client = Rostering.rostering_client_open(config, failed) # one for the program
jobs = Rostering.rostering_list_jobs(client, 0, nil, failed)
error = failed.read_pointer
good = error.null?
if good
  print Rostering.rostering_response_body(jobs).read_bytes(Rostering.rostering_response_body_length(jobs))
else
  warn Rostering.rostering_error_text(error)
end
Rostering.rostering_response_free(jobs)
Rostering.rostering_client_free(client)
Rostering.rostering_config_free(config)
Rostering.rostering_error_free(error)
exit good
