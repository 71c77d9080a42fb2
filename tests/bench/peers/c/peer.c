// A plugin with a cached token against Extism's imports, without a library: the floor. With
// PREPARED, the request and the token object are made when the token arrives, and kept.
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

// text is one that grows.
struct text {
	uint64_t size;
	char bytes[MOST];
};

static struct text token, made, answer;

static uint64_t size_of(const char *s) {
	uint64_t size = 0;
	while (s[size]) size++;
	return size;
}

static void add_bytes(struct text *t, const char *bytes, uint64_t size) {
	if (size > MOST - t->size) __builtin_trap();
	__builtin_memcpy(t->bytes + t->size, bytes, size);
	t->size += size;
}

static void add(struct text *t, const char *s) { add_bytes(t, s, size_of(s)); }

static void add_number(struct text *t, uint64_t n) {
	char digits[20];
	int at = sizeof digits;
	do digits[--at] = '0' + n % 10;
	while (n /= 10);
	add_bytes(t, digits + at, sizeof digits - at);
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

static const char *find(const struct text *t, const char *s) {
	uint64_t size = size_of(s), same = 0;
	for (uint64_t at = 0; at + size <= t->size; at++, same = 0) {
		while (same < size && t->bytes[at + same] == s[same]) same++;
		if (same == size) return t->bytes + at + size;
	}
	__builtin_trap();
}

static uint64_t now(void) {
	uint64_t nanoseconds;
	clock_time_get(0, 1, &nanoseconds);
	return nanoseconds / 1000000000;
}

static void make_request(void) {
	made.size = 0;
	add(&made, "{\"method\":\"GET\",\"url\":\"https://service.example/jobs\",\"headers\":{\"Authorization\":\"Bearer ");
	add_bytes(&made, token.bytes, token.size);
	add(&made, "\",\"CUSTOMER_ID\":\"c\",\"USER_ID\":\"u\"}}");
}

static void make_object(uint64_t expiry) {
	made.size = 0;
	add(&made, "{\"access_token\":\"");
	add_bytes(&made, token.bytes, token.size);
	add(&made, "\",\"expires_at\":");
	add_number(&made, expiry);
	add(&made, "}");
}

static block made_block(void) { return block_of(made.bytes, made.size); }

// request_token leaves the token in vars, and returns 0 or an error.
static int request_token(uint64_t *expiry) {
	block body = string("grant_type=client_credentials&client_id=client&client_secret=the-secret"
		"&scope=automatic-rostering-stage");
	*expiry = now();
	body = http_request(string("{\"method\":\"POST\",\"url\":\"https://auth.example/connect/token\","
		"\"headers\":{\"Content-Type\":\"application/x-www-form-urlencoded\"}}"), body);
	if (http_status_code() != 200) return fail("the token endpoint refused");
	load(&answer, body);
	const char *at = find(&answer, "\"access_token\":\"");
	token.size = 0;
	for (; *at != '"'; at++) add_bytes(&token, at, 1);
	uint64_t seconds = 0;
	for (at = find(&answer, "\"expires_in\":"); *at >= '0' && *at <= '9'; at++) seconds = seconds * 10 + *at - '0';
	*expiry += seconds;
	block value = alloc(8);
	store_u64(value, *expiry);
	var_set(string("expiry"), value);
#ifdef PREPARED
	make_request();
	var_set(string("request"), made_block());
	make_object(*expiry);
	var_set(string("object"), made_block());
#else
	var_set(string("token"), block_of(token.bytes, token.size));
#endif
	return 0;
}

// cached returns whether there is a token that lasts.
static int cached(uint64_t *expiry) {
	block value = var_get(string("expiry"));
	if (!value) return 0;
	*expiry = load_u64(value);
	return now() + MARGIN < *expiry;
}

// ready makes sure of a token.
static int ready(uint64_t *expiry) {
	if (!cached(expiry)) return request_token(expiry);
#ifndef PREPARED
	load(&token, var_get(string("token")));
#endif
	return 0;
}

EXPORT(get_token) {
	uint64_t expiry;
	if (ready(&expiry)) return 1;
#ifdef PREPARED
	block object = var_get(string("object"));
	output_set(object, length(object));
#else
	make_object(expiry);
	output_set(made_block(), made.size);
#endif
	return 0;
}

EXPORT(list_jobs) {
	uint64_t expiry;
	if (ready(&expiry)) return 1;
#ifdef PREPARED
	block request = var_get(string("request"));
#else
	make_request();
	block request = made_block();
#endif
	block jobs = http_request(request, 0);
	if (http_status_code() != 200) return fail("the service refused");
	output_set(jobs, length(jobs));
	return 0;
}
