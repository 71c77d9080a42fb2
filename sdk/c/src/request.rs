//! A request to the service.

use std::ffi::{c_char, c_void};

use automatic_rostering::reqwest::Method;
use bytes::Bytes;

use crate::body::{Pump, Read, Reader, Rewind};
use crate::error::Error;
use crate::text::required;
use crate::Result;

/// A request to the service, which may be sent any number of times, by one thread at a time.
pub struct Request {
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    query: Vec<(String, String)>,
    content: Content,
    /// The first mistake, which the call reports.
    invalid: Option<(&'static str, String)>,
}

enum Content {
    None,
    Json(String),
    Bytes(Bytes),
    Read(Reader),
}

impl Request {
    /// Returns the request of the crate, and what reads its body during the call.
    pub fn make(&self) -> Result<(automatic_rostering::Request, Option<Pump>)> {
        if let Some((key, message)) = &self.invalid {
            return Err(Error::invalid(key, message));
        }
        let method = Method::from_bytes(self.method.as_bytes());
        let method = method.map_err(|_| Error::invalid("method", "method must be an HTTP method, such as GET"))?;
        let mut request = automatic_rostering::Request::new(method, &self.path).query(&self.query);
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        Ok(match &self.content {
            Content::None => (request, None),
            Content::Json(json) => {
                if !self.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("Content-Type")) {
                    request = request.header("Content-Type", "application/json");
                }
                (request.body(json.clone()), None)
            }
            Content::Bytes(bytes) => (request.body(bytes.clone()), None),
            Content::Read(reader) => {
                let (body, pump) = reader.body();
                (request.body(body), Some(pump))
            }
        })
    }

    /// Keeps the first mistake.
    fn set(&mut self, key: &'static str, change: impl FnOnce(&mut Self) -> std::result::Result<(), String>) {
        if let Err(message) = change(self) {
            self.invalid.get_or_insert((key, message));
        }
    }
}

fn read(name: &str, text: *const c_char) -> std::result::Result<String, String> {
    required(name, text).map(Into::into).map_err(|error| error.message().into())
}

/// Makes a request. path begins with a slash and is appended to base_url; method may be NULL for GET. What is invalid, here
/// or below, is an error of rostering_send_request.
#[no_mangle]
pub extern "C" fn rostering_request_new(method: *const c_char, path: *const c_char) -> Option<Box<Request>> {
    let mut request = Request {
        method: "GET".into(),
        path: String::new(),
        headers: Vec::new(),
        query: Vec::new(),
        content: Content::None,
        invalid: None,
    };
    request.set("method", |request| {
        if !method.is_null() {
            request.method = read("method", method)?;
        }
        Ok(())
    });
    request.set("path", |request| read("path", path).map(|path| request.path = path));
    Some(Box::new(request))
}

#[no_mangle]
pub extern "C" fn rostering_request_free(request: Option<Box<Request>>) {
    drop(request);
}

/// Sets a header, in addition to those that the plugin sets.
#[no_mangle]
pub extern "C" fn rostering_request_set_header(
    request: Option<&mut Request>,
    name: *const c_char,
    value: *const c_char,
) {
    let Some(request) = request else { return };
    request.set("headers", |request| {
        let header = (read("name", name)?, read("value", value)?);
        request.headers.retain(|(name, _)| !name.eq_ignore_ascii_case(&header.0));
        request.headers.push(header);
        Ok(())
    });
}

/// Adds a parameter to the query of the path, percent-encoded.
#[no_mangle]
pub extern "C" fn rostering_request_add_query(
    request: Option<&mut Request>,
    name: *const c_char,
    value: *const c_char,
) {
    let Some(request) = request else { return };
    request.set("query", |request| {
        request.query.push((read("name", name)?, read("value", value)?));
        Ok(())
    });
}

/// Sets the body to JSON, and Content-Type unless you set that yourself.
#[no_mangle]
pub extern "C" fn rostering_request_set_json(request: Option<&mut Request>, json: *const c_char) {
    let Some(request) = request else { return };
    request.set("body", |request| {
        let json = read("json", json)?;
        serde_json::from_str::<serde_json::Value>(&json).map_err(|error| format!("json is invalid: {error}"))?;
        request.content = Content::Json(json);
        Ok(())
    });
}

/// Sets the body to bytes, which are copied.
#[no_mangle]
pub unsafe extern "C" fn rostering_request_set_body(request: Option<&mut Request>, body: *const c_void, length: usize) {
    let Some(request) = request else { return };
    request.set("body", |request| {
        if body.is_null() {
            return Err("body is NULL".into());
        }
        request.content = Content::Bytes(Bytes::copy_from_slice(std::slice::from_raw_parts(body.cast(), length)));
        Ok(())
    });
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
) {
    let Some(request) = request else { return };
    request.set("body", |request| {
        let read = read.ok_or("read_body is NULL")?;
        request.content = Content::Read(Reader { read, rewind, context, length: u64::try_from(length).ok() });
        Ok(())
    });
}
