use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{HeaderName, HeaderValue};
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::{Cause, Token};

/// A step of a flow.
#[derive(Deserialize)]
pub struct Step {
    /// What is passed to the plugin with the result, unchanged.
    #[serde(default)]
    pub flow: Value,
    /// The token that calls use until this time, in Unix seconds.
    pub token: Option<Arc<Token>>,
    #[serde(default)]
    pub until: u64,
    #[serde(flatten)]
    pub action: Action,
}

/// What to do.
#[derive(Deserialize)]
#[serde(tag = "step", rename_all = "lowercase")]
pub enum Action {
    Request {
        #[serde(deserialize_with = "seconds")]
        timeout: Duration,
        /// How many bytes of the response the plugin reads.
        limit: usize,
        request: Outgoing,
    },
    Store {
        #[serde(deserialize_with = "seconds")]
        timeout: Duration,
        op: String,
        key: String,
        #[serde(default)]
        value: String,
        #[serde(default, deserialize_with = "seconds")]
        ttl: Duration,
    },
    Wait {
        #[serde(deserialize_with = "seconds")]
        seconds: Duration,
    },
    Done,
}

/// A request of the plugin. It holds secrets: so it is not `Debug`.
#[derive(Deserialize)]
pub struct Outgoing {
    method: String,
    url: String,
    headers: BTreeMap<String, String>,
    body: Option<String>,
}

impl Outgoing {
    pub fn make(&self) -> Result<reqwest::Request, Cause> {
        let mut request = reqwest::Request::new(self.method.parse()?, self.url.parse()?);
        for (name, value) in &self.headers {
            request.headers_mut().insert(HeaderName::try_from(name)?, HeaderValue::try_from(value)?);
        }
        *request.body_mut() = self.body.clone().map(Into::into);
        Ok(request)
    }
}

fn seconds<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    Duration::try_from_secs_f64(f64::deserialize(from)?).map_err(D::Error::custom)
}
