//! Strings and headers at the border.

use std::ffi::{c_char, CStr, CString};
use std::ptr;

use automatic_rostering::reqwest::header::HeaderMap;

use crate::error::Error;
use crate::Result;

/// Reads a string that a program must pass.
pub fn required<'a>(name: &str, text: *const c_char) -> Result<&'a str> {
    optional(name, text)?.ok_or_else(|| Error::invalid(name, &format!("{name} is NULL")))
}

/// Reads a string that may be NULL.
pub fn optional<'a>(name: &str, text: *const c_char) -> Result<Option<&'a str>> {
    if text.is_null() {
        return Ok(None);
    }
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().map(Some).map_err(|_| Error::invalid(name, &format!("{name} is not valid UTF-8")))
}

/// Makes a string for C. A zero byte, which would end it, becomes the replacement character.
pub fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "\u{fffd}")).unwrap_or_default()
}

pub fn pointer(text: Option<&CString>) -> *const c_char {
    text.map_or(ptr::null(), |text| text.as_ptr())
}

/// The headers of a response.
#[derive(Default)]
pub struct Headers(Vec<(CString, CString)>);

impl Headers {
    pub fn set(&mut self, name: &str, value: &str) {
        self.0.push((c_string(name), c_string(value)));
    }

    /// Returns the first value of a header, in any case.
    pub fn get(&self, name: *const c_char) -> *const c_char {
        let Ok(Some(name)) = optional("name", name) else { return ptr::null() };
        let found = self.0.iter().find(|(own, _)| own.as_bytes().eq_ignore_ascii_case(name.as_bytes()));
        pointer(found.map(|(_, value)| value))
    }

    pub fn name_at(&self, index: usize) -> *const c_char {
        pointer(self.0.get(index).map(|(name, _)| name))
    }

    pub fn value_at(&self, index: usize) -> *const c_char {
        pointer(self.0.get(index).map(|(_, value)| value))
    }
}

impl From<&HeaderMap> for Headers {
    fn from(map: &HeaderMap) -> Self {
        let mut headers = Self::default();
        for (name, value) in map {
            headers.set(name.as_str(), &String::from_utf8_lossy(value.as_bytes()));
        }
        headers
    }
}
