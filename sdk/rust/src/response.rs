use std::borrow::Cow;

use bytes::Bytes;
use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde::de::DeserializeOwned;

/// An answer of the service.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Response {
    /// A 2xx: any other status is an error.
    pub status: StatusCode,
    /// As they came.
    pub headers: HeaderMap,
    /// Byte for byte.
    pub body: Bytes,
}

impl Response {
    /// Reads the body as JSON.
    ///
    /// # Errors
    /// Those of serde.
    pub fn json<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        serde_json::from_slice(&self.body)
    }

    /// The body as text, with invalid UTF-8 replaced.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.body)
    }
}
