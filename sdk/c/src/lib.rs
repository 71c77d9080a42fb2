//! The functions of rostering.h, which cbindgen makes of this crate; see cbindgen.toml for its rules.
//!
//! Every pointer that a program passes is NULL or valid as the header says: that is what makes the `unsafe` here sound.

#![allow(clippy::missing_safety_doc)]

mod client;
mod config;
mod error;
mod log;
mod request;
mod response;
mod retry;
mod store;

use std::ffi::{c_char, CStr, CString};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr;

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

/// Runs a function that makes something.
fn make<T>(error: *mut *mut Error, function: impl FnOnce() -> Result<T>) -> Option<Box<T>> {
    run(error, || function().map(|made| Some(Box::new(made))))
}

/// Returns what a pointer refers to, or the error that it is NULL.
fn given<T>(pointer: Option<T>, name: &str) -> Result<T> {
    pointer.ok_or_else(|| Error::invalid(name, &format!("{name} is NULL")))
}

/// Reads a string that a program must pass.
fn required<'a>(name: &str, text: *const c_char) -> Result<&'a str> {
    given(optional(name, text)?, name)
}

/// Reads a string that may be NULL.
fn optional<'a>(name: &str, text: *const c_char) -> Result<Option<&'a str>> {
    if text.is_null() {
        return Ok(None);
    }
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().map(Some).map_err(|_| Error::invalid(name, &format!("{name} is not valid UTF-8")))
}

/// Makes a string for C. A zero byte, which would end it, becomes the replacement character.
fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "\u{fffd}")).unwrap_or_default()
}

fn pointer(text: Option<&CString>) -> *const c_char {
    text.map_or(ptr::null(), |text| text.as_ptr())
}
