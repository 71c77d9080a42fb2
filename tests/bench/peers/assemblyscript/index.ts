// A plugin with a cached token as @extism/as-pdk has it. The package has neither HTTP nor a
// clock, so that their imports are declared here.
import { Host, Memory, Var } from "@extism/as-pdk";

@external("extism:host/env", "http_request")
declare function http_request(request: u64, body: u64): u64;
@external("extism:host/env", "http_status_code")
declare function http_status_code(): i32;
@external("extism:host/env", "length")
declare function length(block: u64): u64;
@external("extism:host/env", "error_set")
declare function error_set(block: u64): void;
@external("wasi_snapshot_preview1", "clock_time_get")
declare function clock_time_get(clock: i32, precision: i64, nanoseconds: usize): i32;

const margin: i64 = 60; // seconds

class Token {
  constructor(public accessToken: string, public expiresAt: i64) {}
}

export function get_token(): i32 {
  const token = cachedToken();
  if (token === null) return 1;
  Host.outputString(`{"access_token":"${token.accessToken}","expires_at":${token.expiresAt}}`);
  return 0;
}

export function list_jobs(): i32 {
  const token = cachedToken();
  if (token === null) return 1;
  const answer = send(
    `{"method":"GET","url":"https://service.example/jobs","headers":` +
      `{"Authorization":"Bearer ${token.accessToken}","CUSTOMER_ID":"c","USER_ID":"u"}}`,
    0,
  );
  if (answer === null) return 1;
  Host.outputMemory(answer);
  return 0;
}

export function abortWith(message: string | null, file: string | null, line: u32, column: u32): void {
  unreachable();
}

function send(request: string, body: u64): Memory | null {
  const answer = http_request(Memory.allocateString(request).offset, body);
  if (http_status_code() != 200) {
    error_set(Memory.allocateString(`the answer has the status ${http_status_code()}`).offset);
    return null;
  }
  return new Memory(answer, length(answer));
}

function now(): i64 {
  const nanoseconds = memory.data(8);
  clock_time_get(0, 1, nanoseconds);
  return load<i64>(nanoseconds) / 1000000000;
}

function cachedToken(): Token | null {
  const cached = Var.getString("token"), expiry = Var.getString("expiry"), time = now();
  if (cached !== null && expiry !== null && time < I64.parseInt(expiry) - margin) {
    return new Token(cached, I64.parseInt(expiry));
  }
  const form = "grant_type=client_credentials&client_id=client&client_secret=the-secret&scope=automatic-rostering-stage";
  const answer = send(
    `{"method":"POST","url":"https://auth.example/connect/token",` +
      `"headers":{"Content-Type":"application/x-www-form-urlencoded"}}`,
    Memory.allocateString(form).offset,
  );
  if (answer === null) return null;
  const body = answer.toString();
  const token = new Token(
    between(body, `"access_token":"`, `"`),
    time + I64.parseInt(between(body, `"expires_in":`, `}`)),
  );
  Var.set("token", Uint8Array.wrap(String.UTF8.encode(token.accessToken)));
  Var.set("expiry", Uint8Array.wrap(String.UTF8.encode(token.expiresAt.toString())));
  return token;
}

// between is all of JSON that the answer needs; there is no parser in the language.
function between(text: string, before: string, after: string): string {
  const begin = text.indexOf(before) + before.length;
  return text.substring(begin, text.indexOf(after, begin));
}
