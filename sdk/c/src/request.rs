//! A request to the service.

use std::ffi::c_char;

use automatic_rostering::reqwest::Method;
use serde_json::value::RawValue;

use crate::error::Error;
use crate::{given, make, optional, required, run, Result};

/// A request to the service, which may be sent any number of times, by one thread at a time.
pub struct Request(pub automatic_rostering::Request);

/// Makes a request. path begins with a slash and is appended to base_url; method may be NULL for GET.
#[no_mangle]
pub extern "C" fn rostering_request_new(
    method: *const c_char,
    path: *const c_char,
    error: *mut *mut Error,
) -> Option<Box<Request>> {
    make(error, || {
        let method = Method::from_bytes(optional("method", method)?.unwrap_or("GET").as_bytes());
        let method = method.map_err(|_| Error::invalid("method", "method must be an HTTP method, such as GET"))?;
        Ok(Request(automatic_rostering::Request::new(method, required("path", path)?)))
    })
}

#[no_mangle]
pub extern "C" fn rostering_request_free(request: Option<Box<Request>>) {
    drop(request);
}

/// Changes a request.
fn change(
    request: Option<&mut Request>,
    error: *mut *mut Error,
    change: impl FnOnce(automatic_rostering::Request) -> Result<automatic_rostering::Request>,
) -> bool {
    run(error, || {
        let Request(own) = given(request, "request")?;
        *own = change(own.clone())?;
        Ok(true)
    })
}

/// Sets a header, in addition to those that the plugin sets.
#[no_mangle]
pub extern "C" fn rostering_request_set_header(
    request: Option<&mut Request>,
    name: *const c_char,
    value: *const c_char,
    error: *mut *mut Error,
) -> bool {
    change(request, error, |request| Ok(request.header(required("name", name)?, required("value", value)?)))
}

/// Adds a parameter to the query of the path, percent-encoded.
#[no_mangle]
pub extern "C" fn rostering_request_add_query(
    request: Option<&mut Request>,
    name: *const c_char,
    value: *const c_char,
    error: *mut *mut Error,
) -> bool {
    change(request, error, |request| Ok(request.query(&[(required("name", name)?, required("value", value)?)])))
}

/// Sets the body to JSON, and Content-Type unless you have set that.
#[no_mangle]
pub extern "C" fn rostering_request_set_json(
    request: Option<&mut Request>,
    json: *const c_char,
    error: *mut *mut Error,
) -> bool {
    change(request, error, |request| {
        let json: &RawValue = serde_json::from_str(required("json", json)?)
            .map_err(|error| Error::invalid("body", &format!("json is invalid: {error}")))?;
        Ok(request.json(json))
    })
}

/// Sets the body to bytes, which are copied.
#[no_mangle]
pub unsafe extern "C" fn rostering_request_set_body(
    request: Option<&mut Request>,
    body: *const u8,
    length: usize,
    error: *mut *mut Error,
) -> bool {
    change(request, error, |request| {
        let body = given(body.as_ref(), "body")?;
        Ok(request.body(std::slice::from_raw_parts(body, length).to_vec()))
    })
}
