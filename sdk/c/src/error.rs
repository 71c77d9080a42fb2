//! Why a call failed.

use std::ffi::{c_char, CString};

pub use automatic_rostering::Code as CallCode;
use serde::Deserialize;
use serde_json::{from_value, json};

use crate::response::{Response, Texts};
use crate::{c_string, pointer};

/// What happened, for programs: the codes of the contract, and those of this library.
#[repr(C)]
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    InvalidInput = 1,
    ConfigMissing,
    ConfigInvalid,
    ClockUnusable,
    TokenEndpointRejected,
    TokenEndpointUnavailable,
    TokenResponseInvalid,
    TokenMismatch,
    ServiceUnauthorized,
    ServiceError,
    /// No response, or a timeout.
    NetworkError,
    /// The program canceled the call.
    Canceled,
    /// The client was closed before the call or during it, or it belongs to the parent process.
    Closed,
    /// The plugin cannot be loaded, or failed.
    PluginFailed,
    /// A store could not be opened.
    StoreFailed,
    /// A code of a newer plugin: see the field code.
    #[serde(other)]
    Unknown = 0,
}

/// Why a call failed. It contains neither the secret nor a token.
pub struct Error {
    code: Code,
    pub call: automatic_rostering::Error,
    text: CString,
    json: CString,
    full: CString,
    fields: Texts,
    response: Option<Response>,
}

impl Error {
    /// An error of this library.
    pub fn own(code: CallCode, message: &str) -> Box<Self> {
        automatic_rostering::Error::new(code, message).into()
    }

    pub fn panicked() -> Box<Self> {
        Self::own(CallCode::PluginFailed, "the library panicked, which is a bug: please report it")
    }

    pub fn invalid(key: &str, message: &str) -> Box<Self> {
        automatic_rostering::Error::about(CallCode::InvalidInput, key, message).into()
    }

    pub fn config(key: &str, message: &str) -> Box<Self> {
        automatic_rostering::Error::about(CallCode::ConfigInvalid, key, message).into()
    }
}

impl From<automatic_rostering::Error> for Box<Error> {
    fn from(call: automatic_rostering::Error) -> Self {
        let (safe, full) = (json!(call), json!(call.full()));
        let mut fields = Texts::default();
        for (field, value) in full.as_object().into_iter().flatten() {
            fields.add(field, value.as_str().unwrap_or(&value.to_string()));
        }
        let body = call.body.as_deref().unwrap_or_default().as_bytes();
        let responded = call.body.is_some() || !call.headers.is_empty();
        let response = || Response::make(call.status.unwrap_or_default(), Texts::from(&call.headers), body);
        Box::new(Error {
            code: from_value(safe["code"].clone()).unwrap_or(Code::Unknown),
            text: c_string(&call.to_string()),
            json: c_string(&safe.to_string()),
            full: c_string(&full.to_string()),
            fields,
            response: responded.then(response),
            call,
        })
    }
}

#[no_mangle]
pub extern "C" fn rostering_error_free(error: Option<Box<Error>>) {
    drop(error);
}

/// Returns the code, or ROSTERING_CODE_UNKNOWN for NULL.
#[no_mangle]
pub extern "C" fn rostering_error_code(error: Option<&Error>) -> Code {
    error.map_or(Code::Unknown, |error| error.code)
}

/// Returns one line for people: the code, the message, the status and the OAuth error.
#[no_mangle]
pub extern "C" fn rostering_error_text(error: Option<&Error>) -> *const c_char {
    pointer(error.map(|error| &error.text))
}

/// Returns a JSON object for logs: all fields but headers, body and body_truncated, which may hold personal data.
#[no_mangle]
pub extern "C" fn rostering_error_json(error: Option<&Error>) -> *const c_char {
    pointer(error.map(|error| &error.json))
}

/// Returns a JSON object with all fields.
#[no_mangle]
pub extern "C" fn rostering_error_full_json(error: Option<&Error>) -> *const c_char {
    pointer(error.map(|error| &error.full))
}

/// Returns whether the same call may succeed later.
#[no_mangle]
pub extern "C" fn rostering_error_retryable(error: Option<&Error>) -> bool {
    error.is_some_and(|error| error.call.retryable)
}

/// Returns a field as text, or NULL if the error does not have it: code, message, retryable, key (the config key or the
/// argument), reason (why there was no response), status, oauth_error, oauth_error_description, retry_after (seconds), body,
/// body_truncated; or as JSON: problems (a list of key and message), request (method and path), headers.
#[no_mangle]
pub extern "C" fn rostering_error_field(error: Option<&Error>, name: *const c_char) -> *const c_char {
    error.map_or(std::ptr::null(), |error| error.fields.get(name))
}

/// Returns the service's response that caused it, redacted and cut, or NULL. It belongs to the error.
#[no_mangle]
pub extern "C" fn rostering_error_response(error: Option<&Error>) -> Option<&Response> {
    error.and_then(|error| error.response.as_ref())
}
