use std::sync::Arc;
use std::time::Duration;
use std::{fmt, iter};

use reqwest::header::HeaderMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Any error, such as one of the SDK, the HTTP client or a store.
pub type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Why a call or opening a client failed. It holds no secret and no token.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A call failed, or the config or an argument is wrong.
    #[error(transparent)]
    Call(#[from] Box<CallError>),
    /// The plugin does not load or has another contract, or the HTTP client cannot be made.
    #[error("cannot open the client: {0}")]
    Open(String),
    /// The client is closed.
    #[error("the client is closed: open a new one")]
    Closed,
    /// The async client was called outside a tokio runtime.
    #[error("not in a tokio runtime: call this from one, or use automatic_rostering::blocking")]
    NoRuntime,
    /// A string is not a token object.
    #[error("not a token object: pass what a Token is serialized to")]
    NotAToken,
    /// The plugin or the tokio runtime failed. If the runtime was not shut down during the call, this is a bug.
    #[error("the call ended unexpectedly; if its tokio runtime still runs, please report this: {0}")]
    Failed(String),
}

impl Error {
    /// Returns whether the same call may succeed later.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Call(error) if error.retryable)
    }

    /// Returns how long to wait before the next call, if that is known.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        let Self::Call(error) = self else { return None };
        error.retry_after
    }

    /// Adds why a request failed to its error.
    pub(crate) fn set_cause(&mut self, cause: Cause) {
        if let Self::Call(error) = self
            && error.code == Code::NetworkError
        {
            if reason(&*cause).contains("invalid peer certificate") {
                error.retryable = false;
                error.message += "; for a certificate authority of your own, set it with Options::http";
            }
            error.cause = Some(cause.into());
        }
    }

    /// An error at opening, with what to check.
    pub(crate) fn open(check: &str, cause: impl Into<Cause>) -> Self {
        Self::Open(format!("{check}: {}", reason(&*cause.into())))
    }
}

/// Why a call failed; what is not known is `None`. As JSON, it has the contract's names.
#[derive(Clone, Default, Deserialize, Serialize)]
#[serde(default)]
#[non_exhaustive]
pub struct CallError {
    /// What happened, for programs.
    pub code: Code,
    /// What is wrong and how to fix it, for people.
    pub message: String,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// The config key or input field that caused it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The HTTP status of the response that caused it.
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
    /// The headers of the service's response.
    #[serde(skip)]
    pub headers: HeaderMap,
    /// The body of the service's response, redacted and cut at 4 KiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Whether `body` was cut.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub body_truncated: bool,
    #[serde(skip)]
    pub(crate) cause: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

impl CallError {
    /// Makes an error, for a fake of the client.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), ..Self::default() }
    }

    /// Adds the key that caused it.
    pub(crate) fn about(mut self, key: &str) -> Error {
        self.key = Some(key.into());
        self.into()
    }
}

impl From<CallError> for Error {
    fn from(error: CallError) -> Self {
        Self::Call(Box::new(error))
    }
}

/// `code: message (status 400, invalid_client: description)`
impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)?;
        let status = self.status.map(|status| format!("status {status}"));
        let description = self.oauth_error_description.as_deref().map(|text| format!(": {text}")).unwrap_or_default();
        let oauth = self.oauth_error.as_deref().map(|error| format!("{error}{description}"));
        let details: Vec<_> = [status, oauth].into_iter().flatten().collect();
        if details.is_empty() { Ok(()) } else { write!(f, " ({})", details.join(", ")) }
    }
}

/// Hides the values of headers, which may be anything.
impl fmt::Debug for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut error = f.debug_struct("CallError");
        error.field("text", &self.to_string()).field("retryable", &self.retryable).field("key", &self.key);
        error.field("retry_after", &self.retry_after).field("body", &self.body);
        error.field("headers", &self.headers.keys().collect::<Vec<_>>()).field("cause", &self.cause);
        error.finish_non_exhaustive()
    }
}

impl std::error::Error for CallError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause.as_deref().map(|cause| cause as _)
    }
}

/// The codes of errors, as in the plugin's contract.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Code {
    /// An argument is invalid: `key` names it.
    InvalidInput,
    /// A field of the config is missing: `key` names it.
    ConfigMissing,
    /// A field of the config or an option is invalid: `key` names it.
    ConfigInvalid,
    /// The system clock is not set, or was set back.
    ClockUnusable,
    /// The identity provider refused the client: see `oauth_error`.
    TokenEndpointRejected,
    /// The identity provider cannot respond now. Retryable.
    TokenEndpointUnavailable,
    /// The response of the identity provider has no usable token. Retryable.
    TokenResponseInvalid,
    /// The token to set has expired, or belongs to another client, scope or token endpoint.
    TokenMismatch,
    /// The service refused the token, and the request could not be sent again; or it refused new tokens, too. Retryable.
    ServiceUnauthorized,
    /// The service responded with an error: see `status`, `headers` and `body`. Retryable with 408, 429 and 5xx.
    ServiceError,
    /// There was no response, or the call timed out; or, not retryable, the response was too large.
    NetworkError,
    /// A code that this library does not know.
    #[default]
    #[serde(other)]
    Other,
}

/// The code as the contract spells it.
impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// Joins the error and its sources, the last of which is the most specific.
pub fn reason(error: &(dyn std::error::Error + 'static)) -> String {
    let all = iter::successors(Some(error), |&error| error.source());
    all.map(ToString::to_string).collect::<Vec<_>>().join(": ")
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
