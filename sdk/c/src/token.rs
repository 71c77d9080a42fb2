//! An access token.

use std::ffi::{c_char, CString};
use std::time::UNIX_EPOCH;

use serde_json::json;

use crate::error::Error;
use crate::text::{c_string, optional, pointer, required};
use crate::{run, Result};

/// An access token, for requests of your own or for another client. It is a secret.
pub struct Token {
    pub token: automatic_rostering::Token,
    access_token: CString,
    token_type: CString,
    cache_key: CString,
}

impl From<automatic_rostering::Token> for Token {
    fn from(token: automatic_rostering::Token) -> Self {
        Self {
            access_token: c_string(token.access_token.expose()),
            token_type: c_string(&token.token_type),
            cache_key: c_string(&token.cache_key),
            token,
        }
    }
}

/// Makes a token object of the crate.
pub fn token(
    access_token: &str,
    token_type: &str,
    expires_at: i64,
    cache_key: &str,
) -> Result<automatic_rostering::Token> {
    let fields = json!({
        "access_token": access_token, "token_type": token_type, "expires_at": expires_at, "cache_key": cache_key,
    });
    let token = automatic_rostering::Token::from_json(&fields.to_string());
    token.map_err(|_| Error::invalid("expires_at", "expires_at must be the Unix time in seconds"))
}

/// Makes a token from what the functions below returned, for rostering_set_token. token_type may be NULL for Bearer;
/// expires_at is in Unix seconds.
#[no_mangle]
pub extern "C" fn rostering_token_new(
    access_token: *const c_char,
    token_type: *const c_char,
    expires_at: i64,
    cache_key: *const c_char,
    error: *mut *mut Error,
) -> Option<Box<Token>> {
    run(error, || {
        let token_type = optional("token_type", token_type)?.unwrap_or("Bearer");
        let cache_key = required("cache_key", cache_key)?;
        let token = token(required("access_token", access_token)?, token_type, expires_at, cache_key)?;
        Ok(Some(Box::new(token.into())))
    })
}

#[no_mangle]
pub extern "C" fn rostering_token_free(token: Option<Box<Token>>) {
    drop(token);
}

/// Returns the token itself, for the header Authorization: Bearer.
#[no_mangle]
pub extern "C" fn rostering_token_access_token(token: Option<&Token>) -> *const c_char {
    pointer(token.map(|token| &token.access_token))
}

#[no_mangle]
pub extern "C" fn rostering_token_type(token: Option<&Token>) -> *const c_char {
    pointer(token.map(|token| &token.token_type))
}

/// Returns the time at which it expires, in Unix seconds; 0 for NULL.
#[no_mangle]
pub extern "C" fn rostering_token_expires_at(token: Option<&Token>) -> i64 {
    let since = token.and_then(|token| token.token.expires_at.duration_since(UNIX_EPOCH).ok());
    since.map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
}

/// Returns what names the token endpoint, the client and the scope; not a secret, and usable as a key in a store.
#[no_mangle]
pub extern "C" fn rostering_token_cache_key(token: Option<&Token>) -> *const c_char {
    pointer(token.map(|token| &token.cache_key))
}
