// The floor: a plugin with a cached token over Extism's imports, without a library. It prepares the request and the token
// object when the token arrives, as this plugin does, and keeps them in vars. URLs and ids are constants.
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

enum { MARGIN = 60, MOST = 64 << 10 };

struct text {
	uint64_t size;
	char bytes[MOST];
};

static struct text made, response;

static uint64_t size_of(const char *s) {
	uint64_t size = 0;
	while (s[size]) size++;
	return size;
}

static void add_bytes(const char *bytes, uint64_t size) {
	if (size > MOST - made.size) __builtin_trap();
	__builtin_memcpy(made.bytes + made.size, bytes, size);
	made.size += size;
}

static void add(const char *s) { add_bytes(s, size_of(s)); }

static void add_number(uint64_t n) {
	char digits[20];
	int at = sizeof digits;
	do digits[--at] = '0' + n % 10;
	while (n /= 10);
	add_bytes(digits + at, sizeof digits - at);
}

static block block_of(const char *bytes, uint64_t size) {
	block b = alloc(size);
	uint64_t at = 0, word;
	for (; at + 8 <= size; at += 8) {
		__builtin_memcpy(&word, bytes + at, 8);
		store_u64(b + at, word);
	}
	for (; at < size; at++) store_u8(b + at, bytes[at]);
	return b;
}

static block string(const char *s) { return block_of(s, size_of(s)); }

static void load(struct text *t, block b) {
	uint64_t at = 0, word;
	t->size = length(b);
	if (t->size > MOST) __builtin_trap();
	for (; at + 8 <= t->size; at += 8) {
		word = load_u64(b + at);
		__builtin_memcpy(t->bytes + at, &word, 8);
	}
	for (; at < t->size; at++) t->bytes[at] = load_u8(b + at);
}

static int fail(const char *message) {
	error_set(string(message));
	return 1;
}

static const char *after(const char *s) {
	uint64_t size = size_of(s), same = 0;
	for (uint64_t at = 0; at + size <= response.size; at++, same = 0) {
		while (same < size && response.bytes[at + same] == s[same]) same++;
		if (same == size) return response.bytes + at + size;
	}
	__builtin_trap();
}

static uint64_t now(void) {
	uint64_t nanoseconds;
	clock_time_get(0, 1, &nanoseconds);
	return nanoseconds / 1000000000;
}

static void keep(const char *name) {
	var_set(string(name), block_of(made.bytes, made.size));
	made.size = 0;
}

static int request_token(void) {
	uint64_t expiry = now(), seconds = 0, size = 0;
	block body = string("grant_type=client_credentials&client_id=client&client_secret=the-secret"
		"&scope=automatic-rostering-stage");
	body = http_request(string("{\"method\":\"POST\",\"url\":\"https://auth.example/connect/token\","
		"\"headers\":{\"Content-Type\":\"application/x-www-form-urlencoded\"}}"), body);
	if (http_status_code() != 200) return fail("the token endpoint refused");
	load(&response, body);
	const char *token = after("\"access_token\":\"");
	while (token[size] != '"') size++;
	for (const char *at = after("\"expires_in\":"); *at >= '0' && *at <= '9'; at++) seconds = seconds * 10 + *at - '0';
	expiry += seconds;
	block value = alloc(8);
	store_u64(value, expiry);
	var_set(string("expiry"), value);

	add("{\"method\":\"GET\",\"url\":\"https://service.example/jobs\",\"headers\":{\"Authorization\":\"Bearer ");
	add_bytes(token, size);
	add("\",\"CUSTOMER_ID\":\"c\",\"USER_ID\":\"u\"}}");
	keep("request");
	add("{\"access_token\":\"");
	add_bytes(token, size);
	add("\",\"expires_at\":");
	add_number(expiry);
	add("}");
	keep("object");
	return 0;
}

// ready requests a token unless one is kept that lasts.
static int ready(void) {
	block expiry = var_get(string("expiry"));
	if (expiry && now() + MARGIN < load_u64(expiry)) return 0;
	return request_token();
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
