use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// What the plugin wants next; `flow` is handed back to it as it is.
#[derive(Deserialize)]
#[serde(tag = "step", rename_all = "lowercase")]
pub enum Step {
    Request(Request),
    Wait { flow: Value, seconds: f64 },
    Store(Store),
    Done { output: Option<Value> },
}

#[derive(Deserialize)]
pub struct Request {
    pub flow: Value,
    pub r#for: For,
    pub request: Outgoing,
    /// A 2xx is the result of the call, and is not resumed.
    #[serde(default)]
    pub last: bool,
}

#[derive(Clone, Copy, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum For {
    Token,
    Service,
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

#[derive(Deserialize)]
pub struct Store {
    pub flow: Value,
    pub op: Op,
    pub key: String,
    #[serde(default)]
    pub value: String,
    #[serde(default)]
    pub ttl: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Op {
    Get,
    Add,
    Set,
}
