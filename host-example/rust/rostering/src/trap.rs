//! What the SDK says when a call failed.
//!
//! Where the plugin sends its requests, one that gets no answer (no connection, no such host, no
//! answer in time, an answer that is too large) ends the call, and the plugin never learns of it. It
//! is unharmed: the next call goes on.

use std::time::Duration;

use crate::{CallError, Error};

/// The status of a call that the WebAssembly engine ended.
const ABORTED: i32 = 134;
/// How the SDK says that a host function failed. What the plugin calls that can fail is HTTP.
const IN_HOST_FUNCTION: &str = "error while executing at wasm backtrace";
const TIMED_OUT: &str = "timeout";

/// Reads the SDK's error and status of a call.
pub(crate) fn explain(error: extism::Error, status: i32, timeout: Option<Duration>) -> Error {
    if let Some(own) = CallError::decode(&error) {
        return own.into();
    }
    let text = error.to_string();
    let reason = error.root_cause().to_string();
    let message = match timeout {
        // Either the SDK's timer ends the call, or its HTTP client the request.
        Some(timeout) if reason.starts_with(TIMED_OUT) => format!("no answer within {timeout:?}"),
        _ if status != ABORTED && text.starts_with(IN_HOST_FUNCTION) => {
            format!("a request got no answer: {reason}")
        }
        _ => return Error::Plugin(error.into()),
    };
    CallError::network(message, Some(error.into())).into()
}
