//! Why a call failed.

use std::ffi::{c_char, CString};

use automatic_rostering::Code as CallCode;
use serde::{Deserialize, Serialize};
use serde_json::{from_value, json};

use crate::response::{Response, Texts};
use crate::{c_string, pointer};

/// What happened, for programs: the codes of the contract, and those of this library.
#[repr(C)]
#[derive(Clone, Copy, Deserialize, Serialize)]
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
    /// The plugin or the HTTP client cannot be loaded, or failed.
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
    fields: Texts,
    response: Option<Response>,
}

impl Error {
    fn make(code: Code, call: automatic_rostering::Error) -> Box<Self> {
        let mut fields = json!(call);
        fields["code"] = json!(code);
        let name = fields["code"].as_str().unwrap_or_default();
        let text = call.to_string().replacen(&call.code.to_string(), name, 1);
        let mut texts = Texts::default();
        for (field, value) in fields.as_object().into_iter().flatten() {
            texts.add(field, value.as_str().unwrap_or(&value.to_string()));
        }
        let body = call.body.as_deref().unwrap_or_default().as_bytes();
        let responded = call.body.is_some() || !call.headers.is_empty();
        let response = || Response::make(call.status.unwrap_or_default(), Texts::from(&call.headers), body);
        Box::new(Self {
            code,
            text: c_string(&text),
            json: c_string(&fields.to_string()),
            fields: texts,
            response: responded.then(response),
            call,
        })
    }

    /// An error of this library.
    pub fn own(code: Code, message: &str) -> Box<Self> {
        Self::make(code, automatic_rostering::Error::new(CallCode::Other, message))
    }

    pub fn panicked() -> Box<Self> {
        Self::own(Code::PluginFailed, "the library panicked, which is a bug: please report it")
    }

    pub fn invalid(key: &str, message: &str) -> Box<Self> {
        Self::about(Code::InvalidInput, key, message)
    }

    pub fn config(key: &str, message: &str) -> Box<Self> {
        Self::about(Code::ConfigInvalid, key, message)
    }

    fn about(code: Code, key: &str, message: &str) -> Box<Self> {
        let mut call = automatic_rostering::Error::new(CallCode::Other, message);
        call.key = Some(key.into());
        Self::make(code, call)
    }
}

/// What the crate's messages call otherwise.
const WORDS: [(&str, &str); 4] = [
    ("with Options::http", "as ca_file"),
    ("Options::http and user_agent", "the options"),
    ("Options::wasm", "plugin_file"),
    ("what a Token is serialized to", "a rostering_token_json"),
];

impl From<automatic_rostering::Error> for Box<Error> {
    fn from(mut error: automatic_rostering::Error) -> Self {
        for (rust, c) in WORDS {
            error.message = error.message.replace(rust, c);
        }
        Error::make(from_value(json!(error.code)).unwrap_or(Code::Unknown), error)
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

/// Returns a JSON object for programs and logs, with all fields.
#[no_mangle]
pub extern "C" fn rostering_error_json(error: Option<&Error>) -> *const c_char {
    pointer(error.map(|error| &error.json))
}

/// Returns whether the same call may succeed later.
#[no_mangle]
pub extern "C" fn rostering_error_retryable(error: Option<&Error>) -> bool {
    error.is_some_and(|error| error.call.retryable)
}

/// Returns a field as text, or NULL if the error does not have it: code, message, retryable, key (the config key or the
/// argument), status, oauth_error, oauth_error_description, retry_after (seconds), headers, body, body_truncated.
#[no_mangle]
pub extern "C" fn rostering_error_field(error: Option<&Error>, name: *const c_char) -> *const c_char {
    error.map_or(std::ptr::null(), |error| error.fields.get(name))
}

/// Returns the service's response that caused it, redacted and cut, or NULL. It belongs to the error.
#[no_mangle]
pub extern "C" fn rostering_error_response(error: Option<&Error>) -> Option<&Response> {
    error.and_then(|error| error.response.as_ref())
}
