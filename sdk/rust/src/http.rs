use std::collections::BTreeMap;
use std::error::Error as StdError;
use std::iter;

use bytes::BytesMut;
use reqwest::Method;
use reqwest::redirect::Policy;
use rustls::crypto::ring;
use serde_json::{Value, json};

use crate::step::{Outgoing, To};
use crate::{Error, Response};

/// One byte more than the plugin reads of an error of the service, so that it can tell that the body was longer.
const MAX_ERROR: usize = (64 << 10) + 1;

/// Sends requests, and follows no redirect.
pub struct Http {
    client: reqwest::Client,
    max_body: usize,
}

impl Http {
    pub fn new(builder: reqwest::ClientBuilder, max_body: usize) -> Result<Self, Error> {
        // reqwest would panic without a default for the whole process. An existing one is kept.
        let _ = ring::default_provider().install_default();
        let client = builder.redirect(Policy::none()).build().map_err(|error| Error::Open(error.into()))?;
        Ok(Self { client, max_body })
    }

    /// Sends a request, with the body that the caller has. The error says why no answer came.
    pub async fn send(&self, to: &To, request: Outgoing, body: Option<reqwest::Body>) -> Result<Response, String> {
        let method: Method = request.method.parse().map_err(|_| "not a method")?;
        let mut outgoing = self.client.request(method, request.url);
        for (name, value) in request.headers {
            outgoing = outgoing.header(name, value);
        }
        let text = request.body.and_then(|body| body.as_str().map(|text| text.to_owned().into()));
        if let Some(body) = body.or(text) {
            outgoing = outgoing.body(body);
        }
        let lost = |error: reqwest::Error| reason(&error.without_url());
        let mut answer = outgoing.send().await.map_err(lost)?;
        let (status, headers) = (answer.status(), answer.headers().clone());
        let (max, cut) = match to {
            To::Token { limit, .. } => (*limit, true),
            To::Service { .. } if !status.is_success() => (MAX_ERROR, true),
            To::Service { .. } => (self.max_body, false),
        };
        let mut body = BytesMut::new();
        while let Some(chunk) = answer.chunk().await.map_err(lost)? {
            body.extend_from_slice(&chunk);
            if body.len() > max && !cut {
                return Err(format!("the answer is longer than {max} bytes"));
            }
            if body.len() >= max && cut {
                body.truncate(max);
                break;
            }
        }
        Ok(Response { status, headers, body: body.freeze() })
    }
}

/// What the plugin needs of an answer: the body only of a token request or an error.
pub fn report(to: &To, answer: &Response) -> Value {
    let mut headers = BTreeMap::<_, Vec<_>>::new();
    for (name, value) in &answer.headers {
        headers.entry(name.as_str()).or_default().push(String::from_utf8_lossy(value.as_bytes()));
    }
    let mut report = json!({ "status": answer.status.as_u16(), "headers": headers });
    if matches!(to, To::Token { .. }) || !answer.status.is_success() {
        report["body"] = answer.text().into();
    }
    report
}

/// The error and its sources, the last of which is the most specific.
pub fn reason(error: &(dyn StdError + 'static)) -> String {
    let all = iter::successors(Some(error), |&error| error.source());
    all.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
