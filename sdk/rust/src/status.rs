use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::AtomicU64;

use serde::{Deserialize, Serialize};

use crate::Code;

/// What a client has done since it opened, and what it holds. As JSON, it is the same in all languages. Times are in Unix seconds.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Status {
    /// The time at which the token expires, if there is a usable one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_expires_at: Option<u64>,
    /// The time from which a call renews it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renew_at: Option<u64>,
    /// Whether a token is being requested, or looked for in the store.
    pub renewing: bool,
    /// The time at which the backoff after a failed token request ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_at: Option<u64>,
    /// Why that token request failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<BackoffError>,
    /// Calls of `list_jobs`, `send_request`, `get_token` and their likes that have begun.
    pub calls: u64,
    /// Those that ended with an error, by its code. A call that was dropped, or ended by closing, is not among them.
    pub failed_calls: BTreeMap<Code, u64>,
    /// Requests with a token that were sent to the service, by calls and by the middleware.
    pub service_requests: u64,
    /// Token requests that were sent.
    pub token_requests: u64,
    /// Those that brought no usable token.
    pub failed_token_requests: u64,
    /// Tokens that the service refused.
    pub refused_tokens: u64,
    /// Operations of the store that failed.
    pub store_failures: u64,
}

/// The error of a backoff, without secrets.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
#[non_exhaustive]
pub struct BackoffError {
    /// What happened, for programs.
    pub code: Code,
    /// What is wrong and how to fix it, for people.
    pub message: String,
}

/// What the library counts itself.
#[derive(Default)]
pub struct Counts {
    pub calls: AtomicU64,
    pub service_requests: AtomicU64,
    pub failed_calls: Mutex<BTreeMap<Code, u64>>,
}
