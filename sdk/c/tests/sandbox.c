#include <curl/curl.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests.h"

/* Bounds of waits: for the process, and for the control API, which itself waits for at most 30 s. */
enum { PROCESS_MS = 20000, CONTROL_MS = 40000 };

struct sandbox {
    pid_t process;
    int in, out;
    json_t *facts; /* the line that it printed */
    CURL *curl;
};

static const char *const counts[] = {[AUTH] = "token_requests", [JOBS] = "job_requests"};

static bool poll_output(const sandbox *s) {
    return poll(&(struct pollfd){.fd = s->out, .events = POLLIN}, 1, PROCESS_MS) == 1;
}

sandbox *sandbox_start(void) {
    char *const arguments[] = {"sandbox", "-json", "-until-stdin-closes", NULL};
    int in[2], out[2];
    posix_spawn_file_actions_t files;
    sandbox *s = calloc(1, sizeof *s);
    assert_non_null(s);
    assert_true(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, out[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int failed = posix_spawn(&s->process, "../../build/sandbox", &files, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    close(in[0]);
    close(out[1]);
    if (failed != 0) fail_msg("../../build/sandbox: %s; run make build/sandbox first", strerror(failed));
    s->in = in[1];
    s->out = out[0];
    if (poll_output(s)) s->facts = json_loadfd(s->out, JSON_DISABLE_EOF_CHECK, NULL);
    assert_non_null(s->facts);
    s->curl = curl_easy_init();
    return s;
}

void sandbox_close(sandbox *s) {
    char newline;
    int status = -1;
    ssize_t n = 1;
    close(s->in);
    while (n > 0 && poll_output(s)) n = read(s->out, &newline, 1); /* until the process ends */
    if (n > 0) kill(s->process, SIGKILL);
    waitpid(s->process, &status, 0);
    close(s->out);
    curl_easy_cleanup(s->curl);
    json_decref(s->facts);
    free(s);
    assert_int_equal(status, 0);
}

json_t *sandbox_env(const sandbox *s) {
    return json_object_get(s->facts, "env");
}

/* control takes over the body, which may be NULL, and returns the response's, or NULL if that is empty. */
static json_t *control(sandbox *s, const char *method, const char *path, json_t *body) {
    const char *base = json_string_value(json_object_get(s->facts, "control_url"));
    char *url = NULL, *sent = body != NULL ? json_dumps(body, 0) : strdup(""), *received = NULL;
    size_t length = 0;
    long status = 0;
    FILE *file = open_memstream(&received, &length);
    assert_true(file != NULL && asprintf(&url, "%s%s", base, path) > 0);
    curl_easy_reset(s->curl);
    curl_easy_setopt(s->curl, CURLOPT_URL, url);
    curl_easy_setopt(s->curl, CURLOPT_POSTFIELDS, sent);
    curl_easy_setopt(s->curl, CURLOPT_CUSTOMREQUEST, method);
    curl_easy_setopt(s->curl, CURLOPT_WRITEDATA, file);
    curl_easy_setopt(s->curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(s->curl, CURLOPT_PROXY, "");
    curl_easy_setopt(s->curl, CURLOPT_TIMEOUT_MS, (long)CONTROL_MS);
    CURLcode code = curl_easy_perform(s->curl);
    curl_easy_getinfo(s->curl, CURLINFO_RESPONSE_CODE, &status);
    fclose(file);
    if (code != CURLE_OK || status >= 300) fail_msg("%s %s: %s %s", path, sent, curl_easy_strerror(code), received);
    json_t *response = json_loads(received, 0, NULL);
    json_decref(body);
    free(received);
    free(sent);
    free(url);
    return response;
}

void sandbox_fault(sandbox *s, server on, const char *format, ...) {
    va_list values;
    va_start(values, format);
    json_t *fault = json_vpack_ex(NULL, 0, format, values);
    va_end(values);
    assert_non_null(fault);
    json_object_set_new(fault, "server", json_string(on == AUTH ? "auth" : "jobs"));
    control(s, "POST", "/faults", fault);
}

void sandbox_clear_faults(sandbox *s) {
    control(s, "DELETE", "/faults", NULL);
}

void sandbox_revoke(sandbox *s) {
    control(s, "POST", "/revoke", NULL);
}

void sandbox_set_lifetime(sandbox *s, int seconds) {
    control(s, "POST", "/lifetime", json_pack("{s:i}", "seconds", seconds));
}

int sandbox_requests(sandbox *s, server at) {
    json_t *all = control(s, "GET", "/counts", NULL);
    int n = (int)json_integer_value(json_object_get(all, counts[at]));
    json_decref(all);
    return n;
}

void sandbox_wait(sandbox *s, server at, int n) {
    json_decref(control(s, "POST", "/wait", json_pack("{s:i}", counts[at], n)));
}

json_t *sandbox_last_request(sandbox *s) {
    json_t *all = control(s, "GET", "/requests", NULL);
    json_t *last = json_incref(json_array_get(all, json_array_size(all) - 1));
    json_decref(all);
    return last;
}
