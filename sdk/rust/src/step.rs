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
    /// The plugin would begin with the same step before that time, in Unix seconds.
    #[serde(default)]
    pub until: u64,
    /// The token is to be renewed beside the call.
    #[serde(default)]
    pub renew: bool,
}

/// What the plugin wants next; `flow` is passed back to it unchanged.
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
    /// Whether it serves other callers, too.
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
        /// Bytes of the response that the plugin reads.
        limit: usize,
    },
    Service {
        /// A 2xx or 304 is the result of the call, and is not resumed.
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

/// A request, made once for a step that is kept, or why it cannot be made. It holds secrets, and so cannot be printed.
#[derive(Deserialize)]
#[serde(from = "Fields")]
pub struct Outgoing(pub Result<reqwest::Request, String>);

#[derive(Deserialize)]
struct Fields {
    method: String,
    url: String,
    headers: BTreeMap<String, String>,
    /// Text, or `true` for the body that the caller has.
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
