//! What goes between the plugin and a host that sends the requests itself.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What `begin` takes.
#[derive(Serialize)]
pub(crate) struct Begin<'a> {
    pub(crate) call: &'a str,
    pub(crate) input: Map<String, Value>,
}

/// What `begin` and `resume` give.
#[derive(Deserialize)]
#[serde(tag = "step", rename_all = "lowercase")]
pub(crate) enum Step {
    /// Send this, and hand the flow back with the answer.
    Request { flow: Value, request: Outgoing },
    /// The call is over. Of `get_token`, the output is the token object.
    Done { output: Option<Value> },
}

/// A request that the plugin wants sent. It holds secrets, and so cannot be printed.
#[derive(Deserialize)]
pub(crate) struct Outgoing {
    pub(crate) method: String,
    pub(crate) url: String,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Option<String>,
}

impl Outgoing {
    /// Whether the plugin reads its answer.
    pub(crate) fn asks_for_token(&self) -> bool {
        self.method == "POST" && self.url.ends_with("/connect/token")
    }
}

/// What `resume` takes.
#[derive(Serialize)]
pub(crate) struct Resume {
    pub(crate) flow: Value,
    /// Without it, that of `begin` goes on to count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) now: Option<u64>,
    #[serde(flatten)]
    pub(crate) answer: Answer,
}

/// What came of a request.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Answer {
    Came {
        status: u16,
        headers: BTreeMap<String, Vec<String>>,
        /// That of the service's answers is not the plugin's business.
        #[serde(skip_serializing_if = "Option::is_none")]
        body: Option<String>,
    },
    Failed {
        failed: String,
    },
}
