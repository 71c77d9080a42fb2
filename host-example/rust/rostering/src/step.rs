use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// What the plugin wants next; `flow` is handed back to it as it is.
#[derive(Deserialize)]
#[serde(tag = "step", rename_all = "lowercase")]
pub enum Step {
    Request {
        flow: Value,
        r#for: For,
        request: Outgoing,
        /// A 2xx is the result of the call, and is not resumed.
        #[serde(default)]
        last: bool,
    },
    Wait {
        flow: Value,
        seconds: f64,
    },
    Store {
        flow: Value,
        op: Op,
        key: String,
        #[serde(default)]
        value: String,
        #[serde(default)]
        ttl: u64,
    },
    Done {
        output: Option<Value>,
    },
}

#[derive(Clone, Copy, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum For {
    Token,
    Service,
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
