-- Lists the jobs with the C library, by LuaJIT's FFI.
local ffi = require("ffi")
ffi.cdef [[
    typedef struct rostering_client rostering_client;
    typedef struct rostering_response rostering_response;
    typedef struct rostering_error rostering_error;
    bool rostering_client_open_from_env(rostering_client **client, rostering_error **error);
    bool rostering_list_jobs(rostering_client *client, void *call, rostering_response **jobs, rostering_error **error);
    const char *rostering_response_body(rostering_response *response);
    size_t rostering_response_body_length(rostering_response *response);
    const char *rostering_error_code_text(rostering_error *error);
    const char *rostering_error_message(rostering_error *error);
    bool rostering_error_retryable(rostering_error *error);
    void rostering_response_free(rostering_response *response);
    void rostering_error_free(rostering_error *error);
    void rostering_client_free(rostering_client *client);
]]
local c = ffi.load("librostering.so.0")

local client = ffi.new("rostering_client *[1]")
local jobs = ffi.new("rostering_response *[1]")
local err = ffi.new("rostering_error *[1]")
local good = c.rostering_client_open_from_env(client, err) -- one for the program
    and c.rostering_list_jobs(client[0], nil, jobs, err)
if good then
    io.write(ffi.string(c.rostering_response_body(jobs[0]), c.rostering_response_body_length(jobs[0])))
else
    io.stderr:write(ffi.string(c.rostering_error_code_text(err[0])), ": ",
        ffi.string(c.rostering_error_message(err[0])),
        " (retryable: ", tostring(c.rostering_error_retryable(err[0])), ")\n")
end
c.rostering_response_free(jobs[0])
c.rostering_error_free(err[0])
c.rostering_client_free(client[0])
os.exit(good and 0 or 1)
