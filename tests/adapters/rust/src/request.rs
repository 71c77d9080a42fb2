//! Requests to the service, with the library and with its middleware.

use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::time::Duration;

use automatic_rostering::reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use automatic_rostering::reqwest::{self, Method, Url};
use automatic_rostering::reqwest_middleware::{ClientBuilder, Error as OwnError};
use automatic_rostering::{Body, Client, Error, Request, Response};
use base64::{Engine, prelude::BASE64_STANDARD};
use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::{Value, json};

use crate::{failed, misuse, trap};

/// The adapter's own HTTP client.
pub static HTTP: LazyLock<reqwest::Client> =
    LazyLock::new(|| reqwest::Client::builder().no_proxy().build().expect("it needs nothing"));

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Sent {
    #[serde(deserialize_with = "method")]
    method: Method,
    path: String,
    url: String,
    pub headers: BTreeMap<String, String>,
    query: BTreeMap<String, String>,
    json: Option<Value>,
    #[serde(deserialize_with = "base64")]
    body: Option<Vec<u8>>,
    once: bool,
}

fn method<'de, D: Deserializer<'de>>(from: D) -> Result<Method, D::Error> {
    String::deserialize(from)?.parse().map_err(D::Error::custom)
}

fn base64<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<u8>>, D::Error> {
    BASE64_STANDARD.decode(String::deserialize(from)?).map(Some).map_err(D::Error::custom)
}

impl Sent {
    pub fn to_library(&self) -> Request {
        let mut request = Request::new(self.method.clone(), &self.path).query(&self.query);
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        if let Some(json) = &self.json {
            request = request.json(json);
        }
        match self.body.clone() {
            Some(body) if self.once => request.body(Body::once(body)),
            Some(body) => request.body(body),
            None => request,
        }
    }

    /// Sends the request with the middleware of a client or, without one, with reqwest alone.
    pub async fn send_own(&self, client: Option<&Client>, timeout: Option<Duration>) -> Result<Value, Value> {
        let mut api = ClientBuilder::new(HTTP.clone());
        if let Some(client) = client {
            api = api.with(client.middleware().await.map_err(failed)?);
        }
        let mut request = reqwest::Request::new(self.method.clone(), Url::parse(&self.url).map_err(misuse)?);
        *request.timeout_mut() = timeout;
        if !self.query.is_empty() {
            request.url_mut().query_pairs_mut().extend_pairs(&self.query);
        }
        for (name, value) in &self.headers {
            let name: HeaderName = name.parse().map_err(misuse)?;
            request.headers_mut().insert(name, HeaderValue::from_str(value).map_err(misuse)?);
        }
        if let Some(json) = &self.json {
            request.headers_mut().entry("Content-Type").or_insert(HeaderValue::from_static("application/json"));
            *request.body_mut() = Some(json.to_string().into());
        }
        if let Some(body) = self.body.clone() {
            let stream = || futures_util::stream::iter([Ok::<_, reqwest::Error>(body.clone())]);
            *request.body_mut() = Some(if self.once { reqwest::Body::wrap_stream(stream()) } else { body.into() });
        }
        let response = api.build().execute(request).await.map_err(|error| match error {
            OwnError::Middleware(error) => error.downcast::<Error>().map_or_else(trap, failed),
            OwnError::Reqwest(error) => trap(error),
        })?;
        let mut read = Response::new(response.status(), "");
        read.headers = response.headers().clone();
        read.body = response.bytes().await.map_err(trap)?;
        Ok(self::response(&read))
    }
}

pub fn response(Response { status, headers, body, .. }: &Response) -> Value {
    json!({ "status": status.as_u16(), "headers": self::headers(headers), "body": BASE64_STANDARD.encode(body) })
}

/// By their names, with the values of each joined as in HTTP.
pub fn headers(headers: &HeaderMap) -> BTreeMap<&str, String> {
    let values = |name| headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
    headers.keys().map(|name| (name.as_str(), values(name).collect::<Vec<_>>().join(", "))).collect()
}
