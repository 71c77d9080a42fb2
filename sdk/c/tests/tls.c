/* TLS: certificates that are accepted. */
#include <arpa/inet.h>
#include <curl/curl.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests.h"

/* A service with a certificate that no authority signed. */
typedef struct tls_server {
    SSL_CTX *tls;
    int listener;
    pthread_t thread;
    char url[40];
    char certificate[sizeof TEMPORARY]; /* its file */
} tls_server;

static void *serve(void *argument) {
    static const char response[] = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"jobs\":[]}";
    const tls_server *s = argument;
    char request[4096];
    for (int connection; (connection = accept(s->listener, NULL, NULL)) >= 0; close(connection)) {
        SSL *tls = SSL_new(s->tls);
        SSL_set_fd(tls, connection);
        if (SSL_accept(tls) == 1 && SSL_read(tls, request, sizeof request) > 0) {
            SSL_write(tls, response, sizeof response - 1);
            SSL_shutdown(tls);
        }
        SSL_free(tls);
    }
    return NULL;
}

/* certify makes the certificate, for one hour, and its key. */
static void certify(tls_server *s) {
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *certificate = X509_new();
    X509_EXTENSION *name = X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, "IP:127.0.0.1");
    X509_set_version(certificate, X509_VERSION_3);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -60);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    X509_NAME_add_entry_by_txt(
        X509_get_subject_name(certificate), "CN", MBSTRING_ASC, (const unsigned char *)"service", -1, -1, 0);
    X509_set_issuer_name(certificate, X509_get_subject_name(certificate));
    X509_add_ext(certificate, name, -1);
    assert_true(X509_sign(certificate, key, EVP_sha256()) > 0);
    assert_true(SSL_CTX_use_certificate(s->tls, certificate) == 1 && SSL_CTX_use_PrivateKey(s->tls, key) == 1);
    strcpy(s->certificate, TEMPORARY);
    FILE *file = fdopen(mkstemp(s->certificate), "w");
    assert_true(file != NULL && PEM_write_X509(file, certificate) == 1 && fclose(file) == 0);
    X509_EXTENSION_free(name);
    X509_free(certificate);
    EVP_PKEY_free(key);
}

static void start(tls_server *s) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    s->tls = SSL_CTX_new(TLS_server_method());
    certify(s);
    s->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(s->listener, (struct sockaddr *)&address, length), 0);
    assert_int_equal(listen(s->listener, 8), 0);
    assert_int_equal(getsockname(s->listener, (struct sockaddr *)&address, &length), 0);
    snprintf(s->url, sizeof s->url, "https://127.0.0.1:%d", ntohs(address.sin_port));
    assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
}

static void stop(tls_server *s) {
    shutdown(s->listener, SHUT_RDWR);
    pthread_join(s->thread, NULL);
    close(s->listener);
    SSL_CTX_free(s->tls);
    unlink(s->certificate);
}

static void set_authority(void *curl, void *file) {
    curl_easy_setopt(curl, CURLOPT_CAINFO, file);
}

static void an_unknown_authority_is_refused_and_another_can_be_set(void **state) {
    fixture *f = *state;
    tls_server server;
    void (*before)(int) = signal(SIGPIPE, SIG_IGN); /* of the server */
    start(&server);
    f->config.base_url = server.url;
    reopen(f);
    rostering_error *error = want_no_jobs(f->client, ROSTERING_NETWORK_ERROR);
    assert_int_equal(error->curl_code, CURLE_PEER_FAILED_VERIFICATION);
    want_part(error->message, "SSL certificate problem");
    rostering_error_free(error);
    f->options.prepare_curl = set_authority;
    f->options.curl_context = server.certificate;
    reopen(f);
    want_jobs(f->client);
    stop(&server);
    signal(SIGPIPE, before);
}

int run_tls_tests(void) {
    const struct CMUnitTest tests[] = {
        TEST(an_unknown_authority_is_refused_and_another_can_be_set),
    };
    return cmocka_run_group_tests_name("tls", tests, NULL, NULL);
}
