//! Why a call failed.

use std::ffi::{c_char, c_int, CString};

use automatic_rostering::{CallError, Code as CallCode};
use serde_json::json;

use crate::text::{c_string, optional, pointer, Headers};

/// What happened, for programs: the codes of the contract, and those of this library.
#[repr(C)]
#[derive(Clone, Copy, PartialEq)]
pub enum Code {
    /// A code of a later plugin: see rostering_error_code_text.
    Unknown,
    InvalidInput,
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
}

impl Code {
    /// Returns the name of a code of this library, as the contract would spell it.
    fn own_name(self) -> Option<&'static str> {
        match self {
            Self::Canceled => Some("canceled"),
            Self::Closed => Some("closed"),
            Self::PluginFailed => Some("plugin_failed"),
            Self::StoreFailed => Some("store_failed"),
            _ => None,
        }
    }

    fn of(code: CallCode) -> Self {
        CONTRACT.iter().find(|(own, _)| *own == code).map_or(Self::Unknown, |(_, code)| *code)
    }

    /// Returns the contract's code, for an error that a program makes.
    fn in_contract(self) -> CallCode {
        CONTRACT.iter().find(|(_, code)| *code == self).map_or_else(CallCode::default, |(own, _)| *own)
    }
}

const CONTRACT: [(CallCode, Code); 11] = [
    (CallCode::InvalidInput, Code::InvalidInput),
    (CallCode::ConfigMissing, Code::ConfigMissing),
    (CallCode::ConfigInvalid, Code::ConfigInvalid),
    (CallCode::ClockUnusable, Code::ClockUnusable),
    (CallCode::TokenEndpointRejected, Code::TokenEndpointRejected),
    (CallCode::TokenEndpointUnavailable, Code::TokenEndpointUnavailable),
    (CallCode::TokenResponseInvalid, Code::TokenResponseInvalid),
    (CallCode::TokenMismatch, Code::TokenMismatch),
    (CallCode::ServiceUnauthorized, Code::ServiceUnauthorized),
    (CallCode::ServiceError, Code::ServiceError),
    (CallCode::NetworkError, Code::NetworkError),
];

/// Why a call failed. It contains neither the secret nor a token.
pub struct Error {
    code: Code,
    call: CallError,
    text: CString,
    json: CString,
    code_text: CString,
    message: CString,
    key: Option<CString>,
    oauth_error: Option<CString>,
    oauth_error_description: Option<CString>,
    body: Option<CString>,
    headers: Headers,
}

impl Error {
    fn make(code: Code, call: CallError) -> Box<Self> {
        let own = code.own_name();
        let code_text = own.map_or_else(|| call.code.to_string(), Into::into);
        let mut fields = serde_json::to_value(&call).unwrap_or_default();
        fields["code"] = json!(code_text);
        let text = own.map_or_else(|| call.to_string(), |own| format!("{own}: {}", call.message));
        let copy = |text: &Option<String>| text.as_deref().map(c_string);
        Box::new(Self {
            code,
            text: c_string(&text),
            json: c_string(&fields.to_string()),
            code_text: c_string(&code_text),
            message: c_string(&call.message),
            key: copy(&call.key),
            oauth_error: copy(&call.oauth_error),
            oauth_error_description: copy(&call.oauth_error_description),
            body: copy(&call.body),
            headers: Headers::from(&call.headers),
            call,
        })
    }

    /// An error of this library.
    pub fn own(code: Code, message: &str) -> Box<Self> {
        Self::make(code, CallError::new(code.in_contract(), message))
    }

    pub fn invalid(key: &str, message: &str) -> Box<Self> {
        Self::about(Code::InvalidInput, key, message)
    }

    pub fn config(key: &str, message: &str) -> Box<Self> {
        Self::about(Code::ConfigInvalid, key, message)
    }

    fn about(code: Code, key: &str, message: &str) -> Box<Self> {
        let mut call = CallError::new(code.in_contract(), message);
        call.key = Some(key.into());
        Self::make(code, call)
    }

    /// A request whose token was refused and that cannot be sent again.
    pub fn unauthorized(message: &str) -> Box<Self> {
        let mut call = CallError::new(CallCode::ServiceUnauthorized, message);
        call.retryable = true;
        call.status = Some(401);
        Self::make(Code::ServiceUnauthorized, call)
    }

    pub fn panicked() -> Box<Self> {
        Self::own(Code::PluginFailed, "the library panicked, which is a bug: please report it")
    }

    pub fn message(&self) -> &str {
        &self.call.message
    }

    pub fn is_retryable(&self) -> bool {
        self.call.retryable
    }

    pub fn retry_after(&self) -> Option<std::time::Duration> {
        self.call.retry_after
    }
}

impl From<automatic_rostering::Error> for Box<Error> {
    fn from(error: automatic_rostering::Error) -> Self {
        use automatic_rostering::Error as E;
        let message = error.to_string();
        match error {
            E::Call(call) => Error::make(Code::of(call.code), *call),
            E::Closed => Error::own(Code::Closed, &message),
            E::NotAToken => Error::invalid("access_token", &message),
            _ => Error::own(Code::PluginFailed, &message),
        }
    }
}

/// Makes an error, for a fake of the library in your tests. message may be NULL.
#[no_mangle]
pub extern "C" fn rostering_error_new(
    code: Code,
    message: *const c_char,
    status: c_int,
    retryable: bool,
) -> Option<Box<Error>> {
    let message = optional("message", message).ok().flatten().unwrap_or_default();
    let mut call = CallError::new(code.in_contract(), message);
    call.retryable = retryable;
    call.status = u16::try_from(status).ok().filter(|&status| status != 0);
    Some(Error::make(code, call))
}

#[no_mangle]
pub extern "C" fn rostering_error_free(error: Option<Box<Error>>) {
    drop(error);
}

/// Returns the code. NULL, which is no error, has ROSTERING_CODE_UNKNOWN.
#[no_mangle]
pub extern "C" fn rostering_error_code(error: Option<&Error>) -> Code {
    error.map_or(Code::Unknown, |error| error.code)
}

/// Returns the code as a string, such as "invalid_input".
#[no_mangle]
pub extern "C" fn rostering_error_code_text(error: Option<&Error>) -> *const c_char {
    pointer(error.map(|error| &error.code_text))
}

/// Returns one line for people: the code, the message, the status and the OAuth error.
#[no_mangle]
pub extern "C" fn rostering_error_text(error: Option<&Error>) -> *const c_char {
    pointer(error.map(|error| &error.text))
}

/// Returns a JSON object for programs and logs, with the fields below except the headers.
#[no_mangle]
pub extern "C" fn rostering_error_json(error: Option<&Error>) -> *const c_char {
    pointer(error.map(|error| &error.json))
}

/// Returns what is wrong and how to fix it.
#[no_mangle]
pub extern "C" fn rostering_error_message(error: Option<&Error>) -> *const c_char {
    pointer(error.map(|error| &error.message))
}

/// Returns whether the same call may succeed later.
#[no_mangle]
pub extern "C" fn rostering_error_retryable(error: Option<&Error>) -> bool {
    error.is_some_and(Error::is_retryable)
}

/// Returns the config key or the argument that caused it.
#[no_mangle]
pub extern "C" fn rostering_error_key(error: Option<&Error>) -> *const c_char {
    pointer(error.and_then(|error| error.key.as_ref()))
}

/// Returns the HTTP status of the response that caused it, or 0.
#[no_mangle]
pub extern "C" fn rostering_error_status(error: Option<&Error>) -> c_int {
    error.and_then(|error| error.call.status).map_or(0, c_int::from)
}

/// Returns the identity provider's error (RFC 6749, section 5.2).
#[no_mangle]
pub extern "C" fn rostering_error_oauth_error(error: Option<&Error>) -> *const c_char {
    pointer(error.and_then(|error| error.oauth_error.as_ref()))
}

/// Returns the identity provider's description of its error.
#[no_mangle]
pub extern "C" fn rostering_error_oauth_error_description(error: Option<&Error>) -> *const c_char {
    pointer(error.and_then(|error| error.oauth_error_description.as_ref()))
}

/// Returns the seconds to wait before the next call, or -1 if that is unknown.
#[no_mangle]
pub extern "C" fn rostering_error_retry_after(error: Option<&Error>) -> i64 {
    let wait = error.and_then(Error::retry_after);
    wait.map_or(-1, |wait| i64::try_from(wait.as_secs()).unwrap_or(i64::MAX))
}

/// Returns the body of the service's response, redacted and cut.
#[no_mangle]
pub extern "C" fn rostering_error_body(error: Option<&Error>) -> *const c_char {
    pointer(error.and_then(|error| error.body.as_ref()))
}

/// Returns whether that body was cut.
#[no_mangle]
pub extern "C" fn rostering_error_body_truncated(error: Option<&Error>) -> bool {
    error.is_some_and(|error| error.call.body_truncated)
}

/// Returns the first value of a header of the service's response; its name is not case-sensitive.
#[no_mangle]
pub extern "C" fn rostering_error_header(error: Option<&Error>, name: *const c_char) -> *const c_char {
    error.map_or(std::ptr::null(), |error| error.headers.get(name))
}

/// Returns the name of the header with this index, from 0; NULL after the last one.
#[no_mangle]
pub extern "C" fn rostering_error_header_name(error: Option<&Error>, index: usize) -> *const c_char {
    error.map_or(std::ptr::null(), |error| error.headers.name_at(index))
}

/// Returns the value of the header with this index.
#[no_mangle]
pub extern "C" fn rostering_error_header_value(error: Option<&Error>, index: usize) -> *const c_char {
    error.map_or(std::ptr::null(), |error| error.headers.value_at(index))
}
