//! A plugin with a cached token as extism-pdk has it.

use extism_pdk::*;
use serde::{Deserialize, Serialize};

const MARGIN: i64 = 60; // seconds

// The target's standard library has no clock.
#[link(wasm_import_module = "wasi_snapshot_preview1")]
extern "C" {
    fn clock_time_get(clock: u32, precision: u64, nanoseconds: *mut u64) -> u32;
}

#[derive(Serialize)]
struct Token {
    access_token: String,
    expires_at: i64,
}

#[derive(Deserialize)]
struct Answer {
    access_token: String,
    expires_in: i64,
}

#[plugin_fn]
pub fn get_token() -> FnResult<Json<Token>> {
    Ok(Json(cached_token()?))
}

#[plugin_fn]
pub fn list_jobs() -> FnResult<Vec<u8>> {
    let token = cached_token()?;
    let request = HttpRequest::new("https://service.example/jobs")
        .with_header("Authorization", format!("Bearer {}", token.access_token))
        .with_header("CUSTOMER_ID", "c")
        .with_header("USER_ID", "u");
    let response = http::request::<()>(&request, None)?;
    if response.status_code() != 200 {
        return Err(Error::msg(format!("the service answered {}", response.status_code())).into());
    }
    Ok(response.body())
}

fn now() -> i64 {
    let mut nanoseconds = 0;
    unsafe { clock_time_get(0, 1, &mut nanoseconds) };
    (nanoseconds / 1_000_000_000) as i64
}

fn cached_token() -> Result<Token, Error> {
    let now = now();
    if let (Some(access_token), Some(expires_at)) = (var::get("token")?, var::get::<i64>("expiry")?) {
        if now < expires_at - MARGIN {
            return Ok(Token { access_token, expires_at });
        }
    }
    let form = serde_urlencoded::to_string([
        ("grant_type", "client_credentials"),
        ("client_id", "client"),
        ("client_secret", "the-secret"),
        ("scope", "automatic-rostering-stage"),
    ])?;
    let request = HttpRequest::new("https://auth.example/connect/token")
        .with_method("POST")
        .with_header("Content-Type", "application/x-www-form-urlencoded");
    let response = http::request(&request, Some(form))?;
    if response.status_code() != 200 {
        return Err(Error::msg(format!("the token endpoint answered {}", response.status_code())));
    }
    let answer: Answer = response.json()?;
    let token = Token { access_token: answer.access_token, expires_at: now + answer.expires_in };
    var::set("token", &token.access_token)?;
    var::set("expiry", token.expires_at)?;
    Ok(token)
}
