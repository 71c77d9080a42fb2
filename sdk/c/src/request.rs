//! A request to the service.

use std::ffi::{c_char, c_void};

use automatic_rostering::reqwest::Method;
use bytes::Bytes;
use serde_json::value::RawValue;

use crate::body::{Read, Reader, Rewind};
use crate::error::Error;
use crate::{given, make, optional, required, run, Result};

/// A request to the service, which may be sent any number of times, by one thread at a time.
pub struct Request {
    pub request: automatic_rostering::Request,
    pub reader: Option<Reader>,
}

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
        let request = automatic_rostering::Request::new(method, required("path", path)?);
        Ok(Request { request, reader: None })
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
        let own = &mut given(request, "request")?.request;
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
        Ok(request.body(Bytes::copy_from_slice(std::slice::from_raw_parts(body, length))))
    })
}

/// Sets the body to what a function reads, on the thread of the call and only during it. length is in bytes, or
/// ROSTERING_UNKNOWN_LENGTH. rewind, which may be NULL, returns to the start, to send the body again after a 401; without
/// it, the call ends with a retryable service_unauthorized: the next call has a new token.
#[no_mangle]
pub extern "C" fn rostering_request_set_read_body(
    request: Option<&mut Request>,
    read: Read,
    rewind: Rewind,
    context: *mut c_void,
    length: i64,
    error: *mut *mut Error,
) -> bool {
    run(error, || {
        let (request, read) = (given(request, "request")?, given(read, "read_body")?);
        request.reader = Some(Reader { read, rewind, context, length: u64::try_from(length).ok() });
        Ok(true)
    })
}
