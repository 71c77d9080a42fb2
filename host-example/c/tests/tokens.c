/* Tokens: given out, taken over, forgotten. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests.h"

static void token_is_given_until_a_new_one_is_forced(void **state) {
    fixture *f = *state;
    rostering_token first, again, forced;
    assert_null(rostering_get_token(f->client, false, &first));
    assert_null(rostering_get_token(f->client, false, &again));
    assert_null(rostering_get_token(f->client, true, &forced));
    assert_string_equal(first.access_token, "a-token-of-the-test-1");
    assert_string_equal(first.token_type, "Bearer");
    assert_true(first.expires_at > (int64_t)time(NULL));
    assert_non_null(first.cache_key);
    assert_string_equal(again.access_token, first.access_token);
    assert_int_equal(again.expires_at, first.expires_at);
    assert_string_equal(forced.access_token, "a-token-of-the-test-2");
    rostering_token_free(&first);
    rostering_token_free(&again);
    rostering_token_free(&forced);
}

static void token_is_not_printed(void **state) {
    (void)state;
    static const struct {
        const char *token, *printed;
    } table[] = {
        {"a-token-of-the-test-1", "Bearer a-token-… (21 characters), expires_at 1800000000 (2027-01-15T08:00:00Z)\n"},
        {"short", "Bearer … (5 characters), expires_at 1800000000 (2027-01-15T08:00:00Z)\n"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        rostering_token token = {table[i].token, "Bearer", 1800000000, "key", NULL};
        char *text = NULL;
        size_t length = 0;
        FILE *file = open_memstream(&text, &length);
        assert_non_null(file);
        rostering_token_print(file, &token);
        fclose(file);
        assert_string_equal(text, table[i].printed);
        free(text);
    }
}

static void token_goes_from_one_client_to_another(void **state) {
    fixture *f = *state;
    rostering_token given, parsed;
    char *json = NULL;
    assert_null(rostering_get_token(f->client, false, &given));
    assert_null(rostering_token_json(&given, &json));
    reopen(f);
    assert_null(rostering_token_parse(json, &parsed));
    assert_null(rostering_set_token(f->client, &parsed));
    assert_null(rostering_set_token(f->client, &given)); /* the same again */
    want_jobs(f, "[1]");
    want_line(f, "Authorization: Bearer a-token-of-the-test-1");
    assert_int_equal(service_token_requests(f->service), 1);
    free(json);
    rostering_token_free(&given);
    rostering_token_free(&parsed);
}

static void token_that_does_not_fit_is_refused(void **state) {
    fixture *f = *state;
    rostering_token token;
    assert_null(rostering_get_token(f->client, false, &token));
    f->config.client_id = "another";
    reopen(f);
    rostering_error *error = want_error(rostering_set_token(f->client, &token), ROSTERING_TOKEN_MISMATCH);
    char *text = printed(error);
    assert_null(strstr(text, token.access_token));
    free(text);
    rostering_error_free(error);
    f->config.client_id = "client";
    reopen(f);
    token.expires_at = (int64_t)time(NULL) - 1;
    rostering_error_free(want_error(rostering_set_token(f->client, &token), ROSTERING_TOKEN_MISMATCH));
    token.cache_key = NULL;
    want_fault(rostering_set_token(f->client, &token), ROSTERING_INVALID_INPUT, "token");
    rostering_token_free(&token);
    want_fault(rostering_token_parse("{\"access_token\":\"s3cr3t\"}", &token), ROSTERING_INVALID_INPUT, "token");
}

static void cleared_token_is_not_used(void **state) {
    fixture *f = *state;
    want_jobs(f, "[1]");
    assert_null(rostering_clear_token(f->client));
    want_jobs(f, "[1]");
    want_line(f, "Authorization: Bearer a-token-of-the-test-2");
}

int run_token_tests(void) {
    const struct CMUnitTest tests[] = {
        BOTH(token_is_given_until_a_new_one_is_forced),
        cmocka_unit_test(token_is_not_printed),
        BOTH(token_goes_from_one_client_to_another),
        BOTH(token_that_does_not_fit_is_refused),
        BOTH(cleared_token_is_not_used),
    };
    return cmocka_run_group_tests_name("tokens", tests, NULL, NULL);
}
