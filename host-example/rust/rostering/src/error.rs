use std::{fmt, io, path::PathBuf, time::Duration};

use serde::{Deserialize, Deserializer, Serialize};

/// An error of the SDK, or of the HTTP client.
pub type Cause = Box<dyn std::error::Error + Send + Sync>;

/// What went wrong. It holds no secret and no token.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The plugin's file cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The plugin does not load, or is another one.
    #[error("cannot load the rostering plugin")]
    Load(#[source] Cause),
    /// The HTTP client cannot be made.
    #[error("cannot make the HTTP client")]
    Http(#[source] Cause),
    /// A call failed, for a reason that the plugin's contract knows.
    #[error(transparent)]
    Call(#[from] Box<CallError>),
    /// The plugin or the SDK failed. Calling again will not mend it.
    #[error("the plugin failed")]
    Plugin(#[source] Cause),
    /// What should be a token is none.
    #[error("this is no token object")]
    NoToken,
}

impl Error {
    /// Reads the SDK's error of an export that sends no request.
    pub(crate) fn of_export(error: extism::Error) -> Self {
        match CallError::decode(&error) {
            Some(own) => own.into(),
            None => Self::Plugin(error.into()),
        }
    }
}

/// Why a call failed; what is not known is `None`.
#[derive(Debug, Deserialize, thiserror::Error)]
#[error("{code}: {message}")]
#[non_exhaustive]
pub struct CallError {
    /// For programs to act on.
    pub code: Code,
    /// Says what to do, for people to read.
    pub message: String,
    /// Whether the same call may succeed later.
    #[serde(default)]
    pub retryable: bool,
    /// The config key or input field at fault.
    pub key: Option<String>,
    /// That of the answer at fault.
    pub status: Option<u16>,
    /// The identity provider's error (RFC 6749, section 5.2).
    pub oauth_error: Option<String>,
    /// The identity provider's words on it.
    pub oauth_error_description: Option<String>,
    /// For how long the plugin will send no further token request.
    #[serde(default, deserialize_with = "seconds")]
    pub retry_after: Option<Duration>,
    /// The service's answer, at most 64 KiB of it.
    pub body: Option<String>,
    /// Whether there was more.
    #[serde(default)]
    pub body_truncated: bool,
    /// Why a request got no answer, where the plugin sends it. Where this library does, the message
    /// has the reason.
    #[serde(skip)]
    pub source: Option<Cause>,
}

impl CallError {
    /// Reads the plugin's error text, if it is that.
    pub(crate) fn decode(error: &extism::Error) -> Option<Box<Self>> {
        serde_json::from_str(&error.to_string()).ok()
    }

    /// A request got no answer, which the plugin cannot see.
    pub(crate) fn network(message: String, source: Option<Cause>) -> Box<Self> {
        Box::new(Self {
            code: Code::NetworkError,
            message,
            retryable: true,
            key: None,
            status: None,
            oauth_error: None,
            oauth_error_description: None,
            retry_after: None,
            body: None,
            body_truncated: false,
            source,
        })
    }
}

/// The codes of the plugin's contract.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Code {
    /// The input is not as the contract says.
    InvalidInput,
    /// A config key is missing.
    ConfigMissing,
    /// A config key is wrong.
    ConfigInvalid,
    /// The host's clock is wrong.
    ClockUnusable,
    /// The identity provider refused the client, or is not at `auth_url`.
    TokenEndpointRejected,
    /// The identity provider cannot answer now.
    TokenEndpointUnavailable,
    /// The identity provider's answer is no usable token.
    TokenResponseInvalid,
    /// The token to set has expired, or is another client's.
    TokenMismatch,
    /// The service refuses even a new token.
    ServiceUnauthorized,
    /// The service answered another error.
    ServiceError,
    /// A request got no answer.
    NetworkError,
    /// One that this library does not know.
    #[serde(other)]
    Other,
}

/// As the contract writes it.
impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

fn seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    Ok(Option::deserialize(deserializer)?.map(Duration::from_secs))
}
