use std::io::{self, ErrorKind};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, iter};

use reqwest::header::HeaderMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};

/// Any error, such as one of the HTTP client or a store.
pub type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Why a call or opening a client failed. It holds no secret and no token, and derefs to its fields:
///
/// ```
/// # fn handle(error: automatic_rostering::Error) {
/// if error.code == automatic_rostering::Code::ServiceError && error.status == Some(404) { /* … */ }
/// # }
/// ```
///
/// What prints or serializes it is fit for logs: it has neither the headers nor the body of the service's response, which may
/// hold personal data. [`full`](Self::full) has them.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub struct Error(Box<ErrorFields>);

/// The fields of an [`Error`]; what is not known is `None`. As JSON, they have the contract's names, and are complete.
#[derive(Clone, Default, Deserialize, Serialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ErrorFields {
    /// What happened, for programs.
    pub code: Code,
    /// What is wrong and how to fix it, for people.
    pub message: String,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// The config key or input field that caused it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// All that is missing or invalid in the config.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Problem>,
    /// The request to the service that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestLine>,
    /// Why there was no response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
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
    /// The headers of the service's response, redacted and cut at 8 KiB.
    #[serde(with = "headers", skip_serializing_if = "HeaderMap::is_empty")]
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

/// A key of the config that is missing or invalid.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Problem {
    /// The key.
    pub key: String,
    /// What is wrong with it, for people.
    pub message: String,
}

/// A request to the service.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default)]
#[non_exhaustive]
pub struct RequestLine {
    /// Its method.
    pub method: String,
    /// Its path, without the query.
    pub path: String,
}

/// Why there was no response.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Reason {
    /// It took too long.
    Timeout,
    /// The name of the host was not found.
    NameResolution,
    /// The connection was refused or reset, or the host cannot be reached.
    Connection,
    /// The server's certificate is not trusted, or is for another host.
    TlsCertificate,
    /// TLS failed for another reason.
    Tls,
    /// A proxy refused the connection.
    Proxy,
    /// The response is not HTTP, was cut off, or is too large.
    Protocol,
    /// The program canceled the call.
    Canceled,
    /// Another reason.
    #[serde(other)]
    Other,
}

impl Serialize for Error {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut safe = self.0.clone();
        safe.headers.clear();
        (safe.body, safe.body_truncated) = (None, false);
        safe.serialize(to)
    }
}

/// As of `Error`: without the headers and the body.
impl fmt::Debug for ErrorFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&json!(Error(Box::new(self.clone()))).to_string())
    }
}

impl Deref for Error {
    type Target = ErrorFields;

    fn deref(&self) -> &ErrorFields {
        &self.0
    }
}

impl DerefMut for Error {
    fn deref_mut(&mut self) -> &mut ErrorFields {
        &mut self.0
    }
}

impl Error {
    /// Makes an error, for a fake of the client.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self(Box::new(ErrorFields { code, message: message.into(), ..ErrorFields::default() }))
    }

    /// Returns all fields, also for serde: with the headers and the body of the service's response.
    #[must_use]
    pub fn full(&self) -> &ErrorFields {
        &self.0
    }

    /// An error with the key that caused it.
    #[doc(hidden)]
    pub fn about(code: Code, key: &str, message: impl Into<String>) -> Self {
        let mut error = Self::new(code, message);
        error.key = Some(key.into());
        if code == Code::ConfigInvalid {
            error.problems = vec![Problem { key: key.into(), message: error.message.clone() }];
        }
        error
    }

    pub(crate) fn closed() -> Self {
        Self::new(Code::Closed, "the client is closed: open a new one")
    }

    /// It does not show the string.
    pub(crate) fn not_a_token() -> Self {
        Self::about(Code::InvalidInput, "token", "not a token object: pass the JSON of a token")
    }

    /// An error at opening, with what to check.
    pub(crate) fn open(check: &str, cause: impl Into<Cause>) -> Self {
        Self::new(Code::PluginFailed, format!("{check}: {}", text(&*cause.into())))
    }

    /// An error that only a bug causes.
    pub(crate) fn bug(why: impl fmt::Display) -> Self {
        Self::new(Code::PluginFailed, format!("the plugin failed, which is a bug; report it: {why}"))
    }

    /// Adds why a request failed to its error. The names in a certificate may be anything: then only the redacted text stays.
    pub(crate) fn with_cause(mut self, cause: Option<Cause>) -> Self {
        if let Some(mut cause) = cause.filter(|_| self.code == Code::NetworkError) {
            if self.reason == Some(Reason::TlsCertificate) {
                cause = self.message.clone().into();
            }
            self.cause = Some(cause.into());
        }
        self
    }
}

/// `code: message (status 400, invalid_client: description)`
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)?;
        let status = self.status.map(|status| format!("status {status}"));
        let description = self.oauth_error_description.as_deref().map(|text| format!(": {text}")).unwrap_or_default();
        let oauth = self.oauth_error.as_deref().map(|error| format!("{error}{description}"));
        let details: Vec<_> = [status, oauth].into_iter().flatten().collect();
        if details.is_empty() { Ok(()) } else { write!(f, " ({})", details.join(", ")) }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause.as_deref().map(|cause| cause as _)
    }
}

/// The codes of errors: those of the plugin's contract, and two of this library.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
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
    /// The token to set has expired, or belongs to another client.
    TokenMismatch,
    /// The service refused the token, and the request could not be sent again; or it refused new tokens, too. Retryable.
    ServiceUnauthorized,
    /// The service responded with an error: see `status`, `headers` and `body`. Retryable with 408, 429 and 5xx.
    ServiceError,
    /// There was no response, or the call timed out; or, not retryable, the response was too large.
    NetworkError,
    /// The program canceled the call. In Rust, it drops the future instead: this is the C library's.
    Canceled,
    /// The client is closed.
    Closed,
    /// The plugin cannot be loaded, or failed; or the call is not in a tokio runtime.
    PluginFailed,
    /// A store could not be opened: this is the C library's, too.
    StoreFailed,
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

/// What a step or `explain` gets of a request without a response.
pub fn failure(error: &Cause) -> Value {
    json!({ "failed": text(&**error), "reason": reason(error) })
}

/// Derives the reason from the types of the error and of what it wraps.
fn reason(error: &Cause) -> Reason {
    let (mut connects, mut io) = (false, None);
    for error in iter::successors(Some(&**error as &(dyn std::error::Error + 'static)), |error| wrapped(*error)) {
        if let Some(error) = error.downcast_ref::<reqwest::Error>() {
            if error.is_timeout() {
                return Reason::Timeout;
            } else if error.is_dns() {
                return Reason::NameResolution;
            }
            connects = error.is_connect();
        } else if let Some(error) = error.downcast_ref::<rustls::Error>() {
            let untrusted = matches!(error, rustls::Error::InvalidCertificate(_));
            return if untrusted { Reason::TlsCertificate } else { Reason::Tls };
        } else if let Some(error) = error.downcast_ref::<hyper::Error>()
            && (error.is_parse() || error.is_incomplete_message())
        {
            return Reason::Protocol;
        } else if error.is::<TimedOut>() {
            return Reason::Timeout;
        }
        io = error.downcast_ref().map(io::Error::kind).or(io);
    }
    match io {
        Some(ErrorKind::InvalidData | ErrorKind::InvalidInput) => Reason::Protocol,
        Some(_) => Reason::Connection,
        None if connects => Reason::Proxy, // the type of a proxy's refusal is private
        None => Reason::Other,
    }
}

/// Returns what an error wraps. That of an `io::Error` is not its source.
fn wrapped<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a (dyn std::error::Error + 'static)> {
    match error.downcast_ref().and_then(io::Error::get_ref) {
        Some(wrapped) => Some(wrapped),
        None => error.source(),
    }
}

/// Joins the error and its sources, the last of which is the most specific.
pub fn text(error: &(dyn std::error::Error + 'static)) -> String {
    let all = iter::successors(Some(error), |&error| error.source());
    all.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// A time limit that was exceeded.
#[derive(Debug)]
pub struct TimedOut(pub Duration);

impl fmt::Display for TimedOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "timed out after {:?}", self.0)
    }
}

impl std::error::Error for TimedOut {}

/// Headers as in the contract, each with a list of values.
pub mod headers {
    use std::collections::BTreeMap;

    use super::{Deserialize, Deserializer, HeaderMap, Serializer};
    use reqwest::header::HeaderName;

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<HeaderMap, D::Error> {
        let mut headers = HeaderMap::new();
        for (name, values) in BTreeMap::<String, Vec<String>>::deserialize(from)? {
            let Ok(name) = name.parse::<HeaderName>() else { continue }; // it was redacted
            headers.extend(values.into_iter().filter_map(|value| Some((name.clone(), value.try_into().ok()?))));
        }
        Ok(headers)
    }

    pub fn serialize<S: Serializer>(headers: &HeaderMap, to: S) -> Result<S::Ok, S::Error> {
        let values = |name| headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
        to.collect_map(headers.keys().map(|name| (name.as_str(), values(name).collect::<Vec<_>>())))
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
