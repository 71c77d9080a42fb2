//! Sends requests with the token, and again with another one after a 401.

use std::mem;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use reqwest::header::{AUTHORIZATION, HeaderValue};
use reqwest::{Request, StatusCode};
use serde_json::Value;
use tracing::warn;

use crate::error::failure;
use crate::http::{MAX_ERROR, is_result};
use crate::plugin::decode;
use crate::shared::Shared;
use crate::step::Outgoing;
use crate::{Body, Code, Error, Reason, Response, Token, lock};

/// How often a request is sent. The first other token may come from a store, and have been revoked, too.
const MAX_SENDS: usize = 3;

/// How many of the plugin's requests are kept.
const MAX_REQUESTS: usize = 256;

/// How long their inputs may be, in bytes; valid ones are shorter.
const MAX_INPUT: usize = 512 << 10;

/// The tokens with which one request is sent.
pub struct Tokens {
    shared: Arc<Shared>,
    /// Whether the request can be sent again.
    repeatable: bool,
    /// The one to send it with now.
    token: Arc<Token>,
    refused: Vec<Arc<Token>>,
}

impl Tokens {
    /// Gets the first one.
    pub async fn new(shared: &Arc<Shared>, repeatable: bool) -> Result<Self, Error> {
        Ok(Self { shared: shared.clone(), repeatable, token: shared.token(None).await?, refused: Vec::new() })
    }

    /// Adds the token to a request.
    pub fn authorize(&self, request: &mut Request) -> Result<(), Error> {
        let value = format!("Bearer {}", self.token.access_token.expose());
        let mut value = HeaderValue::from_str(&value).map_err(|_| Error::not_a_token())?;
        value.set_sensitive(true); // hidden when printed
        request.headers_mut().insert(AUTHORIZATION, value);
        Ok(())
    }

    /// Replaces the token if the response has the status 401. Returns whether the request is to be sent again.
    pub async fn replace(&mut self, status: StatusCode) -> Result<bool, Error> {
        if status != StatusCode::UNAUTHORIZED {
            lock(&self.shared.holder).accept(&self.token);
            return Ok(false);
        }
        let refused = self.token.access_token.expose();
        lock(&self.shared.holder).refuse(refused, self.repeatable && self.refused.is_empty());
        if !self.repeatable || self.refused.len() + 1 == MAX_SENDS {
            return Ok(false);
        }
        let token = self.shared.token(Some(refused)).await?;
        warn!(target: "automatic_rostering", "the service refused the token; the request is retried with another one");
        self.refused.push(mem::replace(&mut self.token, token));
        Ok(true)
    }

    /// Returns the error for a response that is no result, or for none, to the request of this input.
    fn explain(&self, mut report: Value, input: &Value, took: Duration) -> Error {
        let sent = self.refused.iter().chain([&self.token]);
        report["tokens"] = sent.map(|token| token.access_token.expose()).collect();
        (report["method"], report["path"]) = (input["method"].clone(), input["path"].clone());
        report["milliseconds"] = u64::try_from(took.as_millis()).unwrap_or_default().into();
        report["now"] = self.shared.now().into();
        match self.shared.plugin.call("explain", &report) {
            Ok(output) => self.shared.plugin.error(&output),
            Err(error) => error,
        }
    }
}

impl Shared {
    /// Sends the plugin's request for an input.
    pub async fn send(self: &Arc<Self>, input: &Value, body: Option<Body>) -> Result<Response, Error> {
        let template = self.request(input)?;
        let mut tokens = Tokens::new(self, body.as_ref().is_none_or(Body::is_repeatable)).await?;
        let (response, took, unauthorized) = loop {
            let mut request = template.try_clone().ok_or_else(|| Error::bug("the plugin's request has a body"))?;
            tokens.authorize(&mut request)?;
            *request.body_mut() = body.as_ref().and_then(Body::next);
            self.counts.service_requests.fetch_add(1, Ordering::Relaxed);
            let began = Instant::now();
            let sent = self.http.send(request, self.http.max_body.saturating_add(1), MAX_ERROR).await;
            let took = began.elapsed();
            let response = match sent {
                Ok(response) => response,
                Err(lost) => {
                    return Err(tokens.explain(failure(&lost), input, took).with_cause(Some(lost)));
                }
            };
            match tokens.replace(response.status).await {
                Ok(true) => {}
                Ok(false) => break (response, took, None),
                Err(error) if error.code == Code::ServiceUnauthorized => break (response, took, Some(error)),
                Err(error) => return Err(error),
            }
        };
        if is_result(response.status) {
            let max = self.http.max_body;
            if response.body.len() <= max {
                return Ok(response);
            }
            let why = format!("the response is larger than max_body ({max} bytes): raise it or request less");
            let mut error = Error::new(Code::NetworkError, why);
            error.reason = Some(Reason::Protocol);
            return Err(error);
        }
        let mut explained = tokens.explain(response.report(), input, took);
        if response.status == StatusCode::UNAUTHORIZED && !tokens.repeatable {
            explained.message.push_str(" (the body can be read only once, so it was not sent again)");
        }
        if let Some(error) = unauthorized {
            // it decides what comes next
            (explained.retryable, explained.retry_after) = (error.retryable, error.retry_after);
        }
        Err(explained)
    }

    /// Returns the plugin's request for an input, without a body and a token. The plugin makes the same one for the same
    /// input, so it is kept.
    pub fn request(&self, input: &Value) -> Result<Arc<Request>, Error> {
        let key = input.to_string();
        if key.len() > MAX_INPUT {
            let message = "the path, the headers and the ids are too long: shorten them";
            return Err(Error::new(Code::InvalidInput, message));
        }
        if let Some(request) = lock(&self.requests).get(&key) {
            return Ok(request.clone());
        }
        let outgoing: Outgoing = decode(&self.plugin.call("request", input)?)?;
        let request = Arc::new(outgoing.make().map_err(Error::bug)?);
        let mut requests = lock(&self.requests);
        if requests.len() == MAX_REQUESTS {
            requests.clear();
        }
        requests.insert(key, request.clone());
        Ok(request)
    }
}
