use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An error of the SDK, the HTTP client or a store.
pub type Cause = Box<dyn std::error::Error + Send + Sync>;

/// What went wrong. It holds no secret and no token.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A call failed, for a reason that the plugin's contract knows.
    #[error(transparent)]
    Call(#[from] Box<CallError>),
    /// The plugin does not load or is of another contract, or the HTTP client cannot be made.
    #[error("cannot open the client")]
    Open(#[source] Cause),
    /// The client is closed.
    #[error("the client is closed")]
    Closed,
    /// The async client was called outside a tokio runtime.
    #[error("not in a tokio runtime: use rostering::blocking")]
    NoRuntime,
    /// A text is not a token object.
    #[error("not a token object")]
    NotAToken,
    /// The plugin or the runtime failed, which should not happen.
    #[error("the call ended unexpectedly")]
    Failed(#[source] Cause),
}

/// Why a call failed; what is not known is `None`. As JSON, it is what the plugin writes.
#[derive(Clone, Debug, Default, Deserialize, Serialize, thiserror::Error)]
#[serde(default)]
#[error("{code}: {message}")]
#[non_exhaustive]
pub struct CallError {
    /// For programs to act on.
    pub code: Code,
    /// Says what to do, for people to read.
    pub message: String,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// The config key or input field at fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// HTTP status of the answer at fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The identity provider's error (RFC 6749, section 5.2).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oauth_error: Option<String>,
    /// The identity provider's description of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oauth_error_description: Option<String>,
    /// How long to wait before the next call.
    #[serde(with = "seconds", skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<Duration>,
    /// The service's answer, at most 64 KiB of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Whether there was more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub body_truncated: bool,
}

/// The codes of the plugin's contract, which says when each is returned.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the contract has them")]
#[non_exhaustive]
pub enum Code {
    InvalidInput,
    ConfigMissing,
    ConfigInvalid,
    ClockUnusable,
    TokenEndpointRejected,
    TokenEndpointUnavailable,
    TokenResponseInvalid,
    TokenMismatch,
    ServiceUnauthorized,
    ServiceError,
    NetworkError,
    /// One that this library does not know.
    #[default]
    #[serde(other)]
    Other,
}

/// As the contract writes it.
impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

mod seconds {
    use super::{Deserialize, Deserializer, Duration, Serialize, Serializer};

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
        Ok(Option::deserialize(from)?.map(Duration::from_secs))
    }

    #[expect(clippy::ref_option, reason = "serde's signature")]
    pub fn serialize<S: Serializer>(wait: &Option<Duration>, to: S) -> Result<S::Ok, S::Error> {
        wait.map(|wait| wait.as_secs()).serialize(to)
    }
}
