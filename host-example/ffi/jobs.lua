-- Lists the jobs with the C library, by LuaJIT's FFI.
local ffi = require("ffi")
ffi.cdef [[
    typedef struct rostering_config rostering_config;
    typedef struct rostering_client rostering_client;
    typedef struct rostering_response rostering_response;
    typedef struct rostering_error rostering_error;
    rostering_config *rostering_config_from_env(rostering_error **error);
    rostering_client *rostering_client_open(rostering_config *config, rostering_error **error);
    rostering_response *rostering_list_jobs(rostering_client *client, int64_t timeout, void *cancel, rostering_error **error);
    const char *rostering_response_body(rostering_response *response);
    size_t rostering_response_body_length(rostering_response *response);
    const char *rostering_error_text(rostering_error *error);
    void rostering_response_free(rostering_response *response);
    void rostering_error_free(rostering_error *error);
    void rostering_client_free(rostering_client *client);
    void rostering_config_free(rostering_config *config);
]]
local c = ffi.load("librostering.so.0.1")

local err = ffi.new("rostering_error *[1]")
local config = c.rostering_config_from_env(err)
local client = c.rostering_client_open(config, err) -- one for the program
local jobs = c.rostering_list_jobs(client, 0, nil, err)
local good = err[0] == nil
if good then
    io.write(ffi.string(c.rostering_response_body(jobs), c.rostering_response_body_length(jobs)))
else
    io.stderr:write(ffi.string(c.rostering_error_text(err[0])), "\n") -- or its code, retryable …
end
c.rostering_response_free(jobs)
c.rostering_client_free(client)
c.rostering_config_free(config)
c.rostering_error_free(err[0])
os.exit(good and 0 or 1)
