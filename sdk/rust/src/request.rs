use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde::Serialize;
use serde_json::{Value, json};

use crate::{Code, Error, lock, opaque};

/// Headers by their names, as the caller wrote them.
pub type Headers = BTreeMap<String, String>;

/// Adds the headers whose names are not there, in any case.
pub fn extend(headers: &mut Headers, defaults: &Headers) {
    let absent = |(name, _): &(&String, &String)| !headers.keys().any(|own| own.eq_ignore_ascii_case(name));
    let absent: Vec<_> = defaults.iter().filter(absent).collect();
    headers.extend(absent.into_iter().map(|(name, value)| (name.clone(), value.clone())));
}

/// A request to the service.
#[derive(Clone, Default)]
#[must_use]
pub struct Request {
    path: String,
    method: Method,
    headers: Headers,
    body: Option<Body>,
    /// Why it cannot be sent.
    invalid: Option<Error>,
}

impl Request {
    /// Makes a request with `GET`, `HEAD`, `POST`, `PUT`, `PATCH`, `DELETE` or `OPTIONS`. The path begins with `/` and is
    /// appended to the config's `base_url`.
    pub fn new(method: Method, path: impl Into<String>) -> Self {
        Self { method, path: path.into(), ..Self::default() }
    }

    /// Sets a header, in addition to `Authorization`, `CUSTOMER_ID` and `USER_ID`, which the plugin sets.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.insert(name.into(), value.into());
        self
    }

    /// Appends query parameters, such as `&[("full", "true")]`, as reqwest does.
    pub fn query(mut self, parameters: &(impl Serialize + ?Sized)) -> Self {
        match serde_urlencoded::to_string(parameters) {
            Ok(query) if query.is_empty() => {}
            Ok(query) => self.path.extend([if self.path.contains('?') { "&" } else { "?" }, &query]),
            Err(error) => self.invalid = Some(Error::about(Code::InvalidInput, "query", error.to_string())),
        }
        self
    }

    /// Sets the body to bytes, a string or a [`Body`]; `GET` and `HEAD` have none.
    pub fn body(mut self, body: impl Into<Body>) -> Self {
        self.body = Some(body.into());
        self
    }

    /// Sets the body to this value as JSON, and `Content-Type`, unless you set that yourself.
    pub fn json(mut self, value: &(impl Serialize + ?Sized)) -> Self {
        if !self.headers.keys().any(|name| name.eq_ignore_ascii_case(CONTENT_TYPE.as_str())) {
            self = self.header("Content-Type", "application/json");
        }
        match serde_json::to_vec(value) {
            Ok(json) => self.body(json),
            Err(error) => {
                self.invalid = Some(Error::about(Code::InvalidInput, "body", error.to_string()));
                self
            }
        }
    }

    /// Returns the plugin's input, which only says whether there is a body, and the body. It has these headers, too, if the
    /// request has none of their names.
    pub(crate) fn into_parts(self, defaults: &Headers) -> Result<(Value, Option<Body>), Error> {
        let Self { path, method, mut headers, body, invalid } = self;
        extend(&mut headers, defaults);
        let mut input = json!({ "path": path, "method": method.as_str(), "headers": headers });
        if body.is_some() {
            input["body"] = json!(true);
        }
        invalid.map_or(Ok((input, body)), Err)
    }
}

/// The body of a request: bytes, a string, or what [`repeatable`](Self::repeatable) and [`once`](Self::once) take.
#[derive(Clone)]
pub struct Body(Content);

#[derive(Clone)]
enum Content {
    Repeatable(Arc<dyn Fn() -> reqwest::Body + Send + Sync>),
    /// A clone shares it.
    Once(Arc<Mutex<Option<reqwest::Body>>>),
}

impl Body {
    /// Calls the closure each time that the body is sent: a second time if the service refuses the token.
    pub fn repeatable(make: impl Fn() -> reqwest::Body + Send + Sync + 'static) -> Self {
        Self(Content::Repeatable(Arc::new(make)))
    }

    /// Takes a stream that cannot be read again. If the service refuses the token, the call fails with
    /// [`ServiceUnauthorized`](crate::Code::ServiceUnauthorized), `retryable`: call again with a new body.
    pub fn once(body: impl Into<reqwest::Body>) -> Self {
        Self(Content::Once(Arc::new(Mutex::new(Some(body.into())))))
    }

    pub(crate) fn is_repeatable(&self) -> bool {
        matches!(self.0, Content::Repeatable(_))
    }

    /// Returns what to send now; `None` if it cannot be sent again.
    pub(crate) fn next(&self) -> Option<reqwest::Body> {
        match &self.0 {
            Content::Repeatable(make) => Some(make()),
            Content::Once(body) => lock(body).take(),
        }
    }
}

impl<T: Into<Bytes>> From<T> for Body {
    fn from(bytes: T) -> Self {
        let bytes = bytes.into();
        Self::repeatable(move || bytes.clone().into())
    }
}

opaque!(Request);
opaque!(Body);
