#include "http.h"

#include <pthread.h>
#include <stdlib.h>

#include "deadline.h"
#include "transfer.h"

enum { KEPT = 16 };

struct rostering_http {
    pthread_mutex_t lock;
    CURL *kept[KEPT]; /* handles that nobody uses, each with its connections */
    size_t n_kept;
    void (*prepare)(void *curl, void *context);
    void *context;
};

static CURLcode initialised;

static void initialise(void) {
    initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
}

rostering_http *rostering_http_new(const rostering_config *config) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, initialise);
    rostering_http *http = initialised == CURLE_OK ? calloc(1, sizeof *http) : NULL;
    if (http == NULL || pthread_mutex_init(&http->lock, NULL) != 0) {
        free(http);
        return NULL;
    }
    http->prepare = config->prepare_curl;
    http->context = config->curl_context;
    return http;
}

void rostering_http_free(rostering_http *http) {
    if (http == NULL) {
        return;
    }
    while (http->n_kept > 0) {
        curl_easy_cleanup(http->kept[--http->n_kept]);
    }
    pthread_mutex_destroy(&http->lock);
    free(http);
}

static CURL *take_handle(rostering_http *http) {
    pthread_mutex_lock(&http->lock);
    CURL *curl = http->n_kept > 0 ? http->kept[--http->n_kept] : NULL;
    pthread_mutex_unlock(&http->lock);
    return curl != NULL ? curl : curl_easy_init();
}

static void keep_handle(rostering_http *http, CURL *curl) {
    curl_easy_reset(curl); /* its connections stay */
    pthread_mutex_lock(&http->lock);
    bool room = http->n_kept < KEPT;
    if (room) {
        http->kept[http->n_kept++] = curl;
    }
    pthread_mutex_unlock(&http->lock);
    if (!room) {
        curl_easy_cleanup(curl);
    }
}

rostering_answer rostering_http_send(rostering_http *http, const json_t *request, int64_t deadline) {
    rostering_answer answer = {0};
    int64_t left = deadline == ROSTERING_NO_DEADLINE ? 0 : rostering_time_left(deadline); /* 0 is libcurl's no limit */
    if (left == 0 && deadline != ROSTERING_NO_DEADLINE) {
        answer.failed = json_string("the call's time is over");
        return answer;
    }
    CURL *curl = take_handle(http);
    if (curl == NULL) {
        answer.failed = json_string("libcurl gave no handle");
        return answer;
    }
    if (http->prepare != NULL) {
        http->prepare(curl, http->context);
    }
    rostering_transfer(curl, request, left, &answer);
    keep_handle(http, curl);
    return answer;
}

void rostering_answer_free(rostering_answer *answer) {
    json_decref(answer->failed);
    json_decref(answer->headers);
    rostering_body_free(&answer->body);
    *answer = (rostering_answer){0};
}
