use std::borrow::Cow;
use std::fmt;

use bytes::Bytes;
use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::error::headers;

/// A response of the service.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct Response {
    /// The status, a 2xx or 304: any other is an error.
    pub status: StatusCode,
    /// All headers.
    pub headers: HeaderMap,
    /// The body, unchanged.
    pub body: Bytes,
}

impl Response {
    /// Makes a response without headers, for a fake of the client.
    pub fn new(status: StatusCode, body: impl Into<Bytes>) -> Self {
        Self { status, headers: HeaderMap::new(), body: body.into() }
    }

    /// Reads the body as JSON.
    ///
    /// # Errors
    /// Those of serde.
    pub fn json<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        serde_json::from_slice(&self.body)
    }

    /// Returns what the plugin needs of it.
    pub(crate) fn report(&self) -> Value {
        let headers = headers::serialize(&self.headers, serde_json::value::Serializer).unwrap_or_default();
        json!({ "status": self.status.as_u16(), "headers": headers, "body": self.text() })
    }

    /// Returns the body as a string, with invalid UTF-8 replaced.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.body)
    }
}

/// Hides the values of headers and the body.
impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut response = f.debug_struct("Response");
        response.field("status", &self.status).field("headers", &self.headers.keys().collect::<Vec<_>>());
        response.field("bytes", &self.body.len()).finish_non_exhaustive()
    }
}
