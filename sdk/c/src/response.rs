//! A response of the service.

use std::ffi::{c_char, c_int, CString};
use std::ptr;

use automatic_rostering::reqwest::header::HeaderMap;

use crate::{c_string, optional, pointer};

/// A response of the service: a 2xx, or a 304 to a conditional request; or that of an error.
pub struct Response {
    status: u16,
    headers: Texts,
    /// With a zero byte behind it, so that it can be read as a string.
    body: Vec<u8>,
}

impl Response {
    pub fn make(status: u16, headers: Texts, body: &[u8]) -> Self {
        Self { status, headers, body: [body, b"\0"].concat() }
    }
}

impl From<automatic_rostering::Response> for Response {
    fn from(response: automatic_rostering::Response) -> Self {
        Self::make(response.status.as_u16(), Texts::from(&response.headers), &response.body)
    }
}

/// Strings by their names, which are not case-sensitive.
#[derive(Default)]
pub struct Texts(Vec<(CString, CString)>);

impl Texts {
    pub fn add(&mut self, name: &str, value: &str) {
        self.0.push((c_string(name), c_string(value)));
    }

    /// Returns the first value of a name.
    pub fn get(&self, name: *const c_char) -> *const c_char {
        let Ok(Some(name)) = optional("name", name) else { return ptr::null() };
        let found = self.0.iter().find(|(own, _)| own.as_bytes().eq_ignore_ascii_case(name.as_bytes()));
        pointer(found.map(|(_, value)| value))
    }
}

impl From<&HeaderMap> for Texts {
    fn from(map: &HeaderMap) -> Self {
        let mut headers = Self::default();
        for (name, value) in map {
            headers.add(name.as_str(), &String::from_utf8_lossy(value.as_bytes()));
        }
        headers
    }
}

#[no_mangle]
pub extern "C" fn rostering_response_free(response: Option<Box<Response>>) {
    drop(response);
}

/// Returns the status; 0 for NULL.
#[no_mangle]
pub extern "C" fn rostering_response_status(response: Option<&Response>) -> c_int {
    response.map_or(0, |response| response.status.into())
}

/// Returns the body: any bytes, with a zero byte behind them.
#[no_mangle]
pub extern "C" fn rostering_response_body(response: Option<&Response>) -> *const c_char {
    response.map_or(ptr::null(), |response| response.body.as_ptr().cast())
}

/// Returns the length of the body, without the zero byte.
#[no_mangle]
pub extern "C" fn rostering_response_body_length(response: Option<&Response>) -> usize {
    response.map_or(0, |response| response.body.len() - 1)
}

/// Returns the first value of a header; its name is not case-sensitive.
#[no_mangle]
pub extern "C" fn rostering_response_header(response: Option<&Response>, name: *const c_char) -> *const c_char {
    response.map_or(ptr::null(), |response| response.headers.get(name))
}

/// Returns the value of the header with this index, from 0, and sets *name to its name; NULL after the last one.
#[no_mangle]
pub unsafe extern "C" fn rostering_response_header_at(
    response: Option<&Response>,
    index: usize,
    name: *mut *const c_char,
) -> *const c_char {
    let header = response.and_then(|response| response.headers.0.get(index));
    if let Some(to) = name.as_mut() {
        *to = pointer(header.map(|(name, _)| name));
    }
    pointer(header.map(|(_, value)| value))
}
