use std::time::Duration;

use extism::{Manifest, Wasm};
use glob::Pattern;
use url::Url;

use crate::Secret;

/// Whose jobs to list, and where. An empty text counts as a missing one.
///
/// The plugin judges it when it is first used; the error then names the key at fault.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where the identity provider lives: https, or http on loopback.
    pub auth_url: String,
    /// Where the service lives; only needed to list jobs. The hosts of the two are the only ones
    /// that the plugin may call.
    pub base_url: String,

    /// From the developer portal.
    pub client_id: String,
    /// From the developer portal.
    pub client_secret: Secret,

    /// `stage` or `production`. Not needed if `scope` is set, which replaces its scope.
    pub environment: String,
    /// Replaces the environment's scope.
    pub scope: String,

    /// Sent with each request, unless a call is told otherwise.
    pub customer_id: String,
    /// The same.
    pub user_id: String,

    /// How many seconds before its expiry a token is renewed; the plugin's default is 60. At most
    /// half of the lifetime is used.
    pub refresh_margin: Option<u32>,
    /// Permits http beyond loopback, where anyone on the way can read the secret.
    pub allow_http: bool,

    /// Bounds one call with all its requests; 30 s by default, `None` is no bound. Waiting for other
    /// threads counts in the form of [`open_with`](crate::Rostering::open_with) alone.
    pub timeout: Option<Duration>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            auth_url: String::new(),
            base_url: String::new(),
            client_id: String::new(),
            client_secret: Secret::default(),
            environment: String::new(),
            scope: String::new(),
            customer_id: String::new(),
            user_id: String::new(),
            refresh_margin: None,
            allow_http: false,
            timeout: Some(Duration::from_secs(30)),
        }
    }
}

impl Config {
    /// Switches the plugin's own HTTP off.
    pub(crate) fn manifest(&self, wasm: Vec<u8>) -> Manifest {
        Manifest::new([Wasm::data(wasm)]).with_config(self.keys().into_iter()).disallow_all_hosts()
    }

    pub(crate) fn direct_manifest(&self, wasm: Vec<u8>) -> Manifest {
        let manifest = self.manifest(wasm).with_allowed_hosts(self.host_patterns());
        match self.timeout {
            // Other than in some hosts, an instance and its token live on when this has passed.
            Some(timeout) => manifest.with_timeout(timeout),
            None => manifest,
        }
    }

    fn keys(&self) -> [(&str, String); 10] {
        let margin = self.refresh_margin.map(|seconds| seconds.to_string());
        [
            ("environment", self.environment.clone()),
            ("auth_url", self.auth_url.clone()),
            ("base_url", self.base_url.clone()),
            ("client_id", self.client_id.clone()),
            ("client_secret", self.client_secret.expose().into()),
            ("customer_id", self.customer_id.clone()),
            ("user_id", self.user_id.clone()),
            ("scope", self.scope.clone()),
            ("refresh_margin", margin.unwrap_or_default()),
            ("allow_http", self.allow_http.to_string()),
        ]
    }

    /// The hosts that the plugin may call. A URL that does not parse adds none: the plugin says
    /// what is wrong with it.
    fn host_patterns(&self) -> impl Iterator<Item = String> {
        [&self.auth_url, &self.base_url]
            .into_iter()
            .filter_map(|url| Url::parse(url).ok())
            // libextism takes globs, and the brackets of an IPv6 address are one.
            .filter_map(|url| url.host_str().map(Pattern::escape))
    }
}
