use std::collections::BTreeMap;
use std::time::Duration;

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// What the plugin wants next; `flow` is passed back to it unchanged.
#[derive(Deserialize)]
#[serde(tag = "step", rename_all = "lowercase")]
pub enum Step {
    Request {
        flow: Value,
        #[serde(flatten)]
        to: To,
        request: Outgoing,
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

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Op {
    Get,
    Add,
    Set,
}

/// It holds secrets, and so cannot be printed.
#[derive(Deserialize)]
pub struct Outgoing {
    pub method: String,
    pub url: String,
    pub headers: BTreeMap<String, String>,
    /// Text, or `true` for the body that the caller has.
    pub body: Option<Value>,
}

fn seconds<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    Duration::try_from_secs_f64(f64::deserialize(from)?).map_err(D::Error::custom)
}
