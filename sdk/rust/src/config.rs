use std::borrow::Cow;
use std::collections::HashMap;
use std::env::{self, VarError};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use reqwest::ClientBuilder;
use serde::Deserialize;

use crate::{CallError, Code, Error, Secret, Store};

/// How to reach the service, and as whom. An empty string counts as missing.
///
/// [`Client::open`](crate::Client::open) checks it: the error names the field that caused it. So does the error of a call
/// that needs more than is set. It can be deserialized, too, from a file for example.
///
/// ```
/// let mut config = automatic_rostering::Config::default();
/// config.auth_url = "https://login.example.com".into();
/// config.client_secret = "from the developer portal".into();
/// ```
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// URL of the identity provider, without `/connect/token`: https, or http on loopback.
    pub auth_url: String,
    /// URL of the service, without `/jobs`; not needed for tokens alone.
    pub base_url: String,
    /// The client's id, from the developer portal.
    pub client_id: String,
    /// The client's secret, from the developer portal.
    pub client_secret: Secret,
    /// Selects the scope; not needed if `scope` is set.
    pub environment: Option<Environment>,
    /// Replaces the environment's scope.
    pub scope: String,
    /// Sent with each request as `CUSTOMER_ID`, unless a view has another.
    pub customer_id: String,
    /// Sent with each request as `USER_ID`, unless a view has another.
    pub user_id: String,
    /// Renew the token this many seconds before it expires, at most half of its lifetime; the default is 60.
    pub refresh_margin: Option<u32>,
    /// Permits http beyond loopback, where anyone on the way can read the secret.
    pub allow_http: bool,
}

/// The environment of the service.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Environment {
    /// `stage`, with the scope `automatic-rostering-stage`.
    Stage,
    /// `production`, with the scope `automatic-rostering-prod`.
    Production,
}

impl FromStr for Environment {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "stage" => Ok(Self::Stage),
            "production" => Ok(Self::Production),
            _ => Err("must be stage or production"),
        }
    }
}

impl Config {
    /// Reads `ROSTERING_AUTH_URL`, `ROSTERING_BASE_URL` and so on, one for each field. The error names the variable whose
    /// value is invalid. One that is missing shows in [`Client::open`](crate::Client::open).
    pub fn from_env() -> Result<Self, Error> {
        Ok(Self {
            auth_url: variable("auth_url")?,
            base_url: variable("base_url")?,
            client_id: variable("client_id")?,
            client_secret: variable("client_secret")?.into(),
            environment: parsed("environment", "must be stage or production")?,
            scope: variable("scope")?,
            customer_id: variable("customer_id")?,
            user_id: variable("user_id")?,
            refresh_margin: parsed("refresh_margin", "must be a non-negative integer (seconds)")?,
            allow_http: parsed("allow_http", "must be true or false")?.unwrap_or_default(),
        })
    }

    /// Returns the plugin's config.
    pub(crate) fn keys(&self) -> HashMap<String, String> {
        let environment = self.environment.map(|environment| match environment {
            Environment::Stage => "stage",
            Environment::Production => "production",
        });
        let margin = self.refresh_margin.map(|seconds| seconds.to_string()).unwrap_or_default();
        let keys = [
            ("auth_url", self.auth_url.as_str()),
            ("base_url", &self.base_url),
            ("client_id", &self.client_id),
            ("client_secret", self.client_secret.expose()),
            ("environment", environment.unwrap_or_default()),
            ("scope", &self.scope),
            ("customer_id", &self.customer_id),
            ("user_id", &self.user_id),
            ("refresh_margin", &margin),
            ("allow_http", if self.allow_http { "true" } else { "" }),
        ];
        keys.map(|(key, value)| (key.into(), value.into())).into()
    }
}

/// The name of a field's variable.
pub fn variable_of(key: &str) -> String {
    format!("ROSTERING_{}", key.to_uppercase())
}

fn variable(key: &str) -> Result<String, Error> {
    match env::var(variable_of(key)) {
        Ok(value) => Ok(value),
        Err(VarError::NotPresent) => Ok(String::new()),
        Err(VarError::NotUnicode(_)) => Err(invalid(key, "is not valid Unicode")),
    }
}

fn parsed<T: FromStr>(key: &str, expected: &str) -> Result<Option<T>, Error> {
    let value = variable(key)?;
    if value.is_empty() {
        return Ok(None);
    }
    value.parse().map(Some).map_err(|_| invalid(key, expected))
}

fn invalid(key: &str, why: &str) -> Error {
    CallError::new(Code::ConfigInvalid, format!("{} {why}", variable_of(key))).about(key)
}

/// Options of a client.
///
/// ```
/// use std::{sync::Arc, time::Duration};
///
/// use automatic_rostering::{MemoryStore, Options};
///
/// let store = Arc::new(MemoryStore::default());
/// let options = Options::default().timeout(Duration::from_secs(5)).store(store);
/// ```
#[derive(Clone)]
#[must_use]
pub struct Options {
    pub(crate) wasm: Cow<'static, [u8]>,
    pub(crate) store: Option<Arc<dyn Store>>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) max_body: usize,
    pub(crate) http: Arc<dyn Fn(ClientBuilder) -> ClientBuilder + Send + Sync>,
    pub(crate) clock: Clock,
}

/// Returns the time by which tokens expire.
pub type Clock = Arc<dyn Fn() -> SystemTime + Send + Sync>;

impl Default for Options {
    fn default() -> Self {
        Self {
            wasm: include_bytes!("../rostering-nowasi.wasm").into(), // tasks.sh puts it there
            store: None,
            timeout: Some(Duration::from_secs(30)),
            max_body: 64 << 20,
            http: Arc::new(|http| http),
            clock: Arc::new(SystemTime::now),
        }
    }
}

impl Options {
    /// Bounds each call with all its requests and waits; 30 s by default, `None` is unlimited.
    pub fn timeout(self, timeout: impl Into<Option<Duration>>) -> Self {
        Self { timeout: timeout.into(), ..self }
    }

    /// Bounds a response, which is held in memory, in bytes; 64 MiB by default.
    pub fn max_body(self, bytes: usize) -> Self {
        Self { max_body: bytes, ..self }
    }

    /// Shares the token with other clients, also of other processes and languages.
    pub fn store(self, store: Arc<dyn Store>) -> Self {
        Self { store: Some(store), ..self }
    }

    /// Changes the settings of the HTTP client, such as proxies and certificates. The closure is called at most twice:
    /// requests to loopback have their own HTTP client, which ignores the proxies of the environment.
    ///
    /// Redirects are never followed. Default headers are sent with token requests, too: set no `Authorization`, which the
    /// identity provider would get.
    pub fn http(self, configure: impl Fn(ClientBuilder) -> ClientBuilder + Send + Sync + 'static) -> Self {
        Self { http: Arc::new(configure), ..self }
    }

    /// Replaces the system's clock as the one by which tokens expire, for tests of your code. Timeouts keep to real time.
    pub fn clock(self, now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self { clock: Arc::new(now), ..self }
    }

    /// Replaces the embedded plugin by another `rostering-nowasi.wasm` of the contract [`CONTRACT`](crate::CONTRACT).
    pub fn wasm(self, wasm: impl Into<Cow<'static, [u8]>>) -> Self {
        Self { wasm: wasm.into(), ..self }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut options = f.debug_struct("Options");
        options.field("timeout", &self.timeout).field("max_body", &self.max_body);
        options.field("store", &self.store.is_some()).finish_non_exhaustive()
    }
}
