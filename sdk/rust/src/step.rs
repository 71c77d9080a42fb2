use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{HeaderName, HeaderValue};
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::Cause;

/// The step that begins a call.
#[derive(Deserialize)]
pub struct First {
    #[serde(flatten, deserialize_with = "shared")]
    pub step: Arc<Step>,
    /// Until this time, in Unix seconds, the plugin would begin an equal call with the same step.
    #[serde(default)]
    pub until: u64,
    /// Whether to renew the token in the background.
    #[serde(default)]
    pub renew: bool,
}

/// What to do next; `flow` is passed to the plugin unchanged.
#[derive(Deserialize)]
#[serde(tag = "step", rename_all = "lowercase")]
pub enum Step {
    Request {
        flow: Value,
        #[serde(flatten)]
        to: To,
        request: Box<Outgoing>,
    },
    Wait {
        flow: Value,
        r#for: WaitFor,
        #[serde(deserialize_with = "seconds")]
        seconds: Duration,
    },
    Store {
        flow: Value,
        #[serde(deserialize_with = "seconds")]
        timeout: Duration,
        op: Op,
        key: String,
        #[serde(default)]
        value: String,
        #[serde(default, deserialize_with = "seconds")]
        ttl: Duration,
    },
    Done {
        output: Option<Value>,
    },
}

impl Step {
    /// Returns whether it serves other callers, too.
    pub fn is_in_section(&self) -> bool {
        matches!(self, Self::Store { .. } | Self::Request { to: To::Token { .. }, .. })
    }
}

#[derive(Deserialize)]
#[serde(tag = "for", rename_all = "lowercase")]
pub enum To {
    Token {
        #[serde(deserialize_with = "seconds")]
        timeout: Duration,
        /// How many bytes of the response the plugin reads.
        limit: usize,
    },
    Service {
        /// Whether a 2xx or 304 is the result of the call, without another step.
        #[serde(default)]
        last: bool,
    },
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WaitFor {
    /// Another call of this instance.
    Call,
    Store,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Op {
    Get,
    Add,
    Set,
}

/// A request, made only once for a step that is kept, or why it cannot be made. It holds secrets: so it is not `Debug`.
#[derive(Deserialize)]
#[serde(from = "Fields")]
pub struct Outgoing(pub Result<reqwest::Request, String>);

#[derive(Deserialize)]
struct Fields {
    method: String,
    url: String,
    headers: BTreeMap<String, String>,
    /// A string, or `true` for the caller's body.
    body: Option<Value>,
}

impl From<Fields> for Outgoing {
    fn from(fields: Fields) -> Self {
        let Fields { method, url, headers, body } = fields;
        let make = || -> Result<_, Cause> {
            let mut request = reqwest::Request::new(method.parse()?, url.parse()?);
            for (name, value) in headers {
                request.headers_mut().insert(HeaderName::try_from(name)?, HeaderValue::try_from(value)?);
            }
            *request.body_mut() = body.and_then(|body| body.as_str().map(|text| text.to_owned().into()));
            Ok(request)
        };
        Self(make().map_err(|error| error.to_string()))
    }
}

fn shared<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<Step>, D::Error> {
    Step::deserialize(from).map(Arc::new)
}

fn seconds<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    Duration::try_from_secs_f64(f64::deserialize(from)?).map_err(D::Error::custom)
}
