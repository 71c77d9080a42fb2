use std::borrow::Cow;
use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::mem;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use reqwest::ClientBuilder;
use serde::Deserialize;
use tokio::runtime::Handle;

use crate::request::Headers;
use crate::{Code, Error, Secret, Store, VERSION, opaque};

/// How to reach the service, and as whom. An empty string counts as missing.
///
/// [`Client::open`](crate::Client::open) checks it: the error names the field that caused it. So does the error of a call
/// that needs more than is set. It can be deserialized, too, from a file for example.
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
    /// Selects the scope: `stage` or `production`; not needed if `scope` is set.
    pub environment: String,
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
    // What `set` cannot express in the fields, for the plugin to check.
    #[serde(skip)]
    raw_margin: String,
    #[serde(skip)]
    raw_allow_http: String,
}

impl Config {
    /// Reads `ROSTERING_AUTH_URL`, `ROSTERING_BASE_URL` and so on, one for each field. In place of the secret,
    /// `ROSTERING_CLIENT_SECRET_FILE` may name a file that has it. Fails only if that file has no secret, or if a variable is
    /// not valid Unicode: [`Client::open`](crate::Client::open) checks the values.
    pub fn from_env() -> Result<Self, Error> {
        let mut config = Self::default();
        for key in config.keys().into_keys() {
            let variable = variable_of(&key);
            let value = env::var_os(&variable).unwrap_or_default().into_string();
            let not_unicode = |_| Error::about(Code::ConfigInvalid, &key, format!("{variable} is not valid Unicode"));
            config.set(&key, &value.map_err(not_unicode)?)?;
        }
        if let Some(file) = env::var_os(SECRET_FILE).filter(|file| !file.is_empty()) {
            let wrong =
                |what: &str| Error::about(Code::ConfigInvalid, "client_secret", format!("{SECRET_FILE} {what}"));
            if !config.client_secret.0.is_empty() {
                return Err(wrong("and ROSTERING_CLIENT_SECRET are both set: unset one of them"));
            }
            let secret = read_secret(&file);
            config.client_secret.0 = secret
                .map_err(|what| wrong(&format!("names a file that {what}: it must have the client secret alone")))?;
        }
        Ok(config)
    }

    /// Sets the field of this name to a value as in its variable. Fails only if there is no such field:
    /// [`Client::open`](crate::Client::open) checks the value.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), Error> {
        let field = self.strings().into_iter().find(|(name, _)| *name == key);
        let unknown =
            || Error::about(Code::ConfigInvalid, key, format!("{key} is no field of the config, such as auth_url"));
        value.clone_into(field.ok_or_else(unknown)?.1);
        match key {
            "refresh_margin" => self.refresh_margin = value.parse().ok(),
            "allow_http" => self.allow_http = value == "true",
            _ => return Ok(()),
        }
        if self.refresh_margin.is_some() {
            self.raw_margin.clear();
        }
        if self.allow_http {
            self.raw_allow_http.clear();
        }
        Ok(())
    }

    /// Returns the keys that the plugin reads, each with the field of its string.
    fn strings(&mut self) -> impl IntoIterator<Item = (&'static str, &mut String)> {
        [
            ("environment", &mut self.environment),
            ("refresh_margin", &mut self.raw_margin),
            ("allow_http", &mut self.raw_allow_http),
            ("auth_url", &mut self.auth_url),
            ("base_url", &mut self.base_url),
            ("client_id", &mut self.client_id),
            ("client_secret", &mut self.client_secret.0),
            ("scope", &mut self.scope),
            ("customer_id", &mut self.customer_id),
            ("user_id", &mut self.user_id),
        ]
    }

    /// Returns the plugin's config.
    pub(crate) fn keys(&self) -> BTreeMap<String, String> {
        let mut keys = self.clone();
        if let Some(seconds) = self.refresh_margin {
            keys.raw_margin = seconds.to_string();
        }
        if self.allow_http {
            keys.raw_allow_http = "true".into();
        }
        keys.strings().into_iter().map(|(key, value)| (key.into(), mem::take(value))).collect()
    }
}

const SECRET_FILE: &str = "ROSTERING_CLIENT_SECRET_FILE";
const LONGEST_SECRET: usize = 64 << 10;

/// Reads the client secret from a file, without one newline at its end, or returns what is wrong with the file.
fn read_secret(file: &OsStr) -> Result<String, &'static str> {
    let mut bytes = Vec::new();
    let read = File::open(file).and_then(|file| file.take(LONGEST_SECRET as u64 + 1).read_to_end(&mut bytes));
    read.map_err(|_| "is missing or cannot be read")?;
    if bytes.len() > LONGEST_SECRET {
        return Err("has more than 64 KiB");
    }
    if bytes.pop_if(|last| *last == b'\n').is_some() {
        bytes.pop_if(|last| *last == b'\r');
    }
    if bytes.is_empty() {
        return Err("is empty");
    }
    String::from_utf8(bytes).map_err(|_| "is not UTF-8")
}

/// The name of a field's variable.
pub fn variable_of(key: &str) -> String {
    format!("ROSTERING_{}", key.to_uppercase())
}

/// Options of a client.
#[derive(Clone)]
#[must_use]
pub struct Options {
    /// In place of the embedded plugin.
    pub(crate) wasm: Option<Cow<'static, [u8]>>,
    pub(crate) store: Option<Arc<dyn Store>>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) max_body: usize,
    pub(crate) headers: Headers,
    pub(crate) user_agent: String,
    pub(crate) http: Option<Arc<dyn Fn(ClientBuilder) -> ClientBuilder + Send + Sync>>,
    pub(crate) clock: Clock,
    pub(crate) runtime: Option<Handle>,
    pub(crate) ca_setting: &'static str,
}

/// Returns the time by which tokens expire.
pub type Clock = Arc<dyn Fn() -> SystemTime + Send + Sync>;

impl Default for Options {
    fn default() -> Self {
        Self {
            wasm: None,
            store: None,
            timeout: Some(Duration::from_secs(30)),
            max_body: 64 << 20,
            headers: Headers::default(),
            user_agent: format!("automatic-rostering/{VERSION} (rust)"),
            http: None,
            clock: Arc::new(SystemTime::now),
            runtime: None,
            ca_setting: "with Options::http",
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

    /// Sends these headers with each request to the service. Those of a call replace them.
    pub fn headers(self, headers: impl IntoIterator<Item = (impl Into<String>, impl Into<String>)>) -> Self {
        Self { headers: headers.into_iter().map(|(name, value)| (name.into(), value.into())).collect(), ..self }
    }

    /// Replaces the header `User-Agent`, also of token requests; by default `automatic-rostering/VERSION (rust)`.
    pub fn user_agent(self, name: impl Into<String>) -> Self {
        Self { user_agent: name.into(), ..self }
    }

    /// Changes the settings of the HTTP client, such as proxies and certificates. The closure is called for each tokio runtime
    /// that makes calls, and once more for requests to loopback, which ignore the proxies of the environment.
    ///
    /// Redirects are never followed. The builder's default headers are sent with token requests, too: set no
    /// `Authorization`, which the identity provider would get.
    ///
    /// The settings of TLS need a default provider of [`rustls`], which the program chooses for its process, such as
    /// `rustls::crypto::ring::default_provider().install_default()`. Without it, opening a client with this option fails.
    pub fn http(self, configure: impl Fn(ClientBuilder) -> ClientBuilder + Send + Sync + 'static) -> Self {
        Self { http: Some(Arc::new(configure)), ..self }
    }

    /// Replaces the system's clock as the one by which tokens expire, for tests of your code. Timeouts keep to real time.
    pub fn clock(self, now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self { clock: Arc::new(now), ..self }
    }

    /// For the C library: runs token requests on its threads, which end with its clients, and names what sets a CA there.
    #[doc(hidden)]
    pub fn in_c(options: Self, runtime: Handle, ca_setting: &'static str) -> Self {
        Self { runtime: Some(runtime), ca_setting, ..options }
    }

    /// Replaces the embedded plugin by another `rostering-core.wasm` of the contract [`CONTRACT`](crate::CONTRACT).
    pub fn wasm(self, wasm: impl Into<Cow<'static, [u8]>>) -> Self {
        Self { wasm: Some(wasm.into()), ..self }
    }
}

opaque!(Options);
