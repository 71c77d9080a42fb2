//! A response of the service.

use std::ffi::{c_char, c_int};

use bytes::Bytes;

use crate::text::{required, Headers};

/// A response of the service: a 2xx, or a 304 to a conditional request.
pub struct Response {
    status: c_int,
    headers: Headers,
    /// With a zero byte behind it, so that it can be read as a string.
    body: Vec<u8>,
}

impl Response {
    fn make(status: c_int, headers: Headers, body: &Bytes) -> Self {
        let mut own = Vec::with_capacity(body.len() + 1);
        own.extend_from_slice(body);
        own.push(0);
        Self { status, headers, body: own }
    }
}

impl From<automatic_rostering::Response> for Response {
    fn from(response: automatic_rostering::Response) -> Self {
        Self::make(response.status.as_u16().into(), Headers::from(&response.headers), &response.body)
    }
}

/// Makes a response, for a fake of the library in your tests. body may be NULL if length is 0.
#[no_mangle]
pub unsafe extern "C" fn rostering_response_new(
    status: c_int,
    body: *const u8,
    length: usize,
) -> Option<Box<Response>> {
    let body = if body.is_null() { &[] } else { std::slice::from_raw_parts(body, length) };
    Some(Box::new(Response::make(status, Headers::default(), &Bytes::copy_from_slice(body))))
}

/// Adds a header to a response that your tests made.
#[no_mangle]
pub extern "C" fn rostering_response_add_header(
    response: Option<&mut Response>,
    name: *const c_char,
    value: *const c_char,
) {
    if let (Some(response), Ok(name), Ok(value)) = (response, required("name", name), required("value", value)) {
        response.headers.set(name, value);
    }
}

#[no_mangle]
pub extern "C" fn rostering_response_free(response: Option<Box<Response>>) {
    drop(response);
}

/// Returns the status; 0 for NULL.
#[no_mangle]
pub extern "C" fn rostering_response_status(response: Option<&Response>) -> c_int {
    response.map_or(0, |response| response.status)
}

/// Returns the body: any bytes, with a zero byte behind them.
#[no_mangle]
pub extern "C" fn rostering_response_body(response: Option<&Response>) -> *const c_char {
    response.map_or(std::ptr::null(), |response| response.body.as_ptr().cast())
}

/// Returns the length of the body, without the zero byte.
#[no_mangle]
pub extern "C" fn rostering_response_body_length(response: Option<&Response>) -> usize {
    response.map_or(0, |response| response.body.len() - 1)
}

/// Returns the first value of a header; its name is not case-sensitive.
#[no_mangle]
pub extern "C" fn rostering_response_header(response: Option<&Response>, name: *const c_char) -> *const c_char {
    response.map_or(std::ptr::null(), |response| response.headers.get(name))
}

/// Returns the name of the header with this index, from 0; NULL after the last one.
#[no_mangle]
pub extern "C" fn rostering_response_header_name(response: Option<&Response>, index: usize) -> *const c_char {
    response.map_or(std::ptr::null(), |response| response.headers.name_at(index))
}

/// Returns the value of the header with this index.
#[no_mangle]
pub extern "C" fn rostering_response_header_value(response: Option<&Response>, index: usize) -> *const c_char {
    response.map_or(std::ptr::null(), |response| response.headers.value_at(index))
}
