//! Requests to the service, with the library and with its middleware.

use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::time::Duration;

use automatic_rostering::reqwest::header::HeaderMap;
use automatic_rostering::reqwest::{self, Method};
use automatic_rostering::reqwest_middleware::{ClientBuilder, Error as OwnError};
use automatic_rostering::{Body, Client, Error, Request, Response};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{failed, text, trap};

/// The adapter's own HTTP client.
pub static HTTP: LazyLock<reqwest::Client> =
    LazyLock::new(|| reqwest::Client::builder().no_proxy().build().expect("it needs nothing"));

/// The fields of an object whose values are strings, if there is one.
pub fn strings(object: &Value) -> BTreeMap<String, String> {
    BTreeMap::deserialize(object).unwrap_or_default()
}

fn method(r: &Value) -> Method {
    r["method"].as_str().map_or(Method::GET, |name| name.parse().expect("a method"))
}

fn body(r: &Value) -> Option<String> {
    r["body"].as_str().map(Into::into)
}

pub fn to_library(r: &Value) -> Request {
    let mut request = Request::new(method(r), text(&r["path"])).query(&strings(&r["query"]));
    for (name, value) in strings(&r["headers"]) {
        request = request.header(name, value);
    }
    if let Some(json) = r.get("json") {
        request = request.json(json);
    }
    match body(r) {
        Some(body) if r["once"] == true => request.body(Body::once(body)),
        Some(body) => request.body(body),
        None => request,
    }
}

/// Sends a request with the middleware of a client or, without one, with reqwest alone.
pub async fn send_own(r: &Value, client: Option<&Client>, timeout: Option<Duration>) -> Result<Value, Value> {
    let mut api = ClientBuilder::new(HTTP.clone());
    if let Some(client) = client {
        api = api.with(client.middleware().await.map_err(failed)?);
    }
    let mut request = api.build().request(method(r), text(&r["url"]));
    if let Some(timeout) = timeout {
        request = request.timeout(timeout);
    }
    for (name, value) in strings(&r["headers"]) {
        request = request.header(name, value);
    }
    if let Some(body) = body(r) {
        let stream = || futures_util::stream::iter([Ok::<_, reqwest::Error>(body.clone())]);
        request = request.body(if r["once"] == true { reqwest::Body::wrap_stream(stream()) } else { body.into() });
    }
    let response = request.send().await.map_err(|error| match error {
        OwnError::Middleware(error) => error.downcast::<Error>().map_or_else(trap, failed),
        OwnError::Reqwest(error) => trap(error),
    })?;
    let mut read = Response::new(response.status(), "");
    read.headers = response.headers().clone();
    read.body = response.bytes().await.map_err(trap)?;
    Ok(self::response(&read))
}

pub fn response(Response { status, headers, body, .. }: &Response) -> Value {
    json!({ "status": status.as_u16(), "headers": self::headers(headers), "body": characters(body) })
}

/// A string with a character for each byte.
pub fn characters(bytes: &[u8]) -> String {
    bytes.iter().copied().map(char::from).collect()
}

/// By their names, with the values of each joined as in HTTP.
pub fn headers(headers: &HeaderMap) -> BTreeMap<&str, String> {
    let values = |name| headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
    headers.keys().map(|name| (name.as_str(), values(name).collect::<Vec<_>>().join(", "))).collect()
}
