//! The functions of rostering.h, which cbindgen makes of this crate; see cbindgen.toml for its rules.
//!
//! Every pointer that a program passes is NULL or valid as the header says: that is what makes the `unsafe` here sound.

#![allow(clippy::missing_safety_doc)]

mod body;
mod cancel;
mod client;
mod config;
mod error;
mod log;
mod request;
mod response;
mod retry;
mod store;
mod text;
mod token;

use std::ffi::c_char;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::time::Duration;

use error::Error;

type Result<T> = std::result::Result<T, Box<Error>>;

/// Returns the version of the library at run time.
#[no_mangle]
pub extern "C" fn rostering_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Runs a function that can fail, unless an earlier one has. A panic is an error, too: it must not unwind into C.
fn run<T: Default>(error: *mut *mut Error, function: impl FnOnce() -> Result<T>) -> T {
    let error = unsafe { error.as_mut() };
    if error.as_ref().is_some_and(|error| !error.is_null()) {
        return T::default();
    }
    let result = catch_unwind(AssertUnwindSafe(function)).unwrap_or_else(|_| Err(Error::panicked()));
    result.unwrap_or_else(|failed| {
        if let Some(error) = error {
            *error = Box::into_raw(failed);
        }
        T::default()
    })
}

/// Returns what a handle refers to, or the error that it is NULL.
fn given<'a, T>(handle: Option<&'a T>, name: &str) -> Result<&'a T> {
    handle.ok_or_else(|| Error::invalid(name, &format!("{name} is NULL")))
}

/// Reads a timeout: `None` is that of the client, `Some(None)` no limit.
fn timeout(milliseconds: i64) -> Option<Option<Duration>> {
    (milliseconds != 0).then(|| u64::try_from(milliseconds).ok().map(Duration::from_millis))
}
