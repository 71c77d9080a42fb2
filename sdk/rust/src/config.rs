use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use crate::{Secret, Store};

/// Whose jobs to list, and where. An empty text counts as missing.
///
/// [`Client::open`](crate::Client::open) checks it; the error names the key that caused it. A call that needs more than
/// is set fails in the same way.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// Address of the identity provider: https, or http on loopback.
    pub auth_url: String,
    /// Address of the service; not needed for tokens alone.
    pub base_url: String,
    /// From the developer portal.
    pub client_id: String,
    /// From the developer portal.
    pub client_secret: Secret,
    /// Picks the scope; not needed if `scope` is set.
    pub environment: Option<Environment>,
    /// Replaces the environment's scope.
    pub scope: String,
    /// Sent with each request, unless the call has another.
    pub customer_id: String,
    /// The same.
    pub user_id: String,
    /// Seconds before its expiry at which a token is renewed; the plugin's default is 60. At most half of the lifetime
    /// is used.
    pub refresh_margin: Option<u32>,
    /// Permits http beyond loopback, where anyone on the way can read the secret.
    pub allow_http: bool,
}

/// Of the service.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Environment {
    Stage,
    Production,
}

impl Config {
    /// What the plugin is told.
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

/// How a client makes its calls.
pub struct Options {
    /// The content of `rostering-nowasi.wasm`; by default the one in this crate. Another one is of the contract
    /// [`CONTRACT`](crate::CONTRACT).
    pub wasm: Vec<u8>,
    /// Shares the token with other clients, also of other processes and languages.
    pub store: Option<Arc<dyn Store>>,
    /// Bounds each call; 30 s by default, `None` is no bound.
    pub timeout: Option<Duration>,
    /// Bytes of an answer, which is held in memory; 64 MiB by default.
    pub max_body: usize,
    /// For settings of your own, such as proxies and certificates. Redirects are never followed. Default headers go along
    /// with token requests, too: set no `Authorization`, which the identity provider would get.
    pub http: reqwest::ClientBuilder,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            wasm: include_bytes!("../rostering-nowasi.wasm").into(), // setup.sh puts it there
            store: None,
            timeout: Some(Duration::from_secs(30)),
            max_body: 64 << 20,
            http: reqwest::ClientBuilder::new(),
        }
    }
}
