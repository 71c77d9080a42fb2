// The floor of a warm call: a plugin with a cached token over Extism's imports, without a library. It prepares the request and
// the token object when the token arrives, as this plugin does, and keeps them in vars. URLs, ids, and the size and place of
// the token in the response are constants, since a first call is not measured.
#include <stdint.h>

#define IMPORT(module, name) __attribute__((import_module(module), import_name(#name))) name
#define HOST(name) IMPORT("extism:host/env", name)
#define EXPORT(name) __attribute__((export_name(#name))) int name(void)

typedef uint64_t block; // its offset in the host

block HOST(alloc)(uint64_t size);
uint64_t HOST(length)(block b);
uint32_t HOST(load_u8)(uint64_t offset);
uint64_t HOST(load_u64)(uint64_t offset);
void HOST(store_u8)(uint64_t offset, uint32_t byte);
void HOST(store_u64)(uint64_t offset, uint64_t word);
block HOST(var_get)(block name);
void HOST(var_set)(block name, block value);
block HOST(http_request)(block request, block body);
uint32_t HOST(http_status_code)(void);
void HOST(output_set)(block b, uint64_t size);
void HOST(error_set)(block b);
int IMPORT("wasi_snapshot_preview1", clock_time_get)(int clock, uint64_t precision, uint64_t *nanoseconds);

enum { MARGIN = 60, LIFETIME = 86400, SIZE = 900 };

static const char before_token[] = "{\"access_token\":\"";

// joined makes a block of a text, a token unless that is 0, and another text.
static block joined(const char *before, block token, const char *after) {
	uint64_t size = token ? SIZE : 0;
	for (const char *s = before; *s; s++) size++;
	for (const char *s = after; *s; s++) size++;
	block b = alloc(size), at = b;
	for (; *before; before++) store_u8(at++, *before);
	for (int i = 0; token && i < SIZE; i++) store_u8(at++, load_u8(token + i));
	for (; *after; after++) store_u8(at++, *after);
	return b;
}

static block string(const char *s) { return joined(s, 0, ""); }

static int fail(const char *message) {
	error_set(string(message));
	return 1;
}

// ready requests a token unless one is kept that lasts.
static int ready(void) {
	uint64_t nanoseconds;
	clock_time_get(0, 1, &nanoseconds);
	uint64_t now = nanoseconds / 1000000000;
	block expiry = var_get(string("expiry"));
	if (expiry && now + MARGIN < load_u64(expiry)) return 0;
	block token = http_request(string("{\"method\":\"POST\",\"url\":\"https://auth.example/connect/token\","
		"\"headers\":{\"Content-Type\":\"application/x-www-form-urlencoded\"}}"),
		string("grant_type=client_credentials&client_id=client&client_secret=the-secret&scope=automatic-rostering-stage"));
	if (http_status_code() != 200) return fail("the token endpoint refused");
	token += sizeof before_token - 1;
	var_set(string("request"), joined("{\"method\":\"GET\",\"url\":\"https://service.example/jobs\",\"headers\":{"
		"\"CUSTOMER_ID\":\"c\",\"USER_ID\":\"u\",\"Authorization\":\"Bearer ", token, "\"}}"));
	var_set(string("object"), joined(before_token, token, "\",\"token_type\":\"Bearer\"}"));
	expiry = alloc(8);
	store_u64(expiry, now + LIFETIME);
	var_set(string("expiry"), expiry);
	return 0;
}

EXPORT(get_token) {
	if (ready()) return 1;
	block object = var_get(string("object"));
	output_set(object, length(object));
	return 0;
}

EXPORT(list_jobs) {
	if (ready()) return 1;
	block jobs = http_request(var_get(string("request")), 0);
	if (http_status_code() != 200) return fail("the service refused");
	output_set(jobs, length(jobs));
	return 0;
}
