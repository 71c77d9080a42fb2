use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use extism::{Manifest, Wasm};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::call::{Call, Finished, Now, Shared};
use crate::http::Http;
use crate::plugin::Plugin;
use crate::token::unix;
use crate::{Body, Config, Error, Ids, Options, Request, Response, Token};

/// An instance of the plugin, with the token in it.
///
/// Open one in each process: clones share it, and any number of tasks may call it at once. It needs a tokio runtime
/// with I/O and time.
///
/// To cancel a call, drop its future. A request to the service ends with it; a token request goes on, for the others
/// and for the next call.
#[derive(Clone)]
pub struct Client {
    shared: Arc<Shared>,
    timeout: Option<Duration>,
    now: Now,
}

impl Client {
    /// Opens the plugin, and sends nothing. Fails with [`Error::Open`] if the file is not the plugin or is of another
    /// contract, and with [`Error::Call`] if the config lacks what every call needs, or something in it is invalid.
    pub async fn open(config: &Config, options: Options) -> Result<Self, Error> {
        Self::open_raw(config.keys(), options).await
    }

    #[doc(hidden)]
    pub async fn open_raw(config: HashMap<String, String>, options: Options) -> Result<Self, Error> {
        #[cfg(feature = "middleware")]
        let base_url = config.get("base_url").cloned().unwrap_or_default();
        let http = Http::new(options.http, options.max_body)?;
        let manifest = Manifest::new([Wasm::data(options.wasm)]).with_config(config.into_iter());
        let (plugin, freed) = Plugin::open(manifest.disallow_all_hosts()).await?;
        let (plugin, progress) = (Mutex::new(Some(plugin)), Arc::new(Notify::new()));
        let shared = Shared {
            plugin,
            freed,
            http,
            #[cfg(feature = "middleware")]
            base_url,
            store: options.store,
            progress,
        };
        Ok(Self { shared: Arc::new(shared), timeout: options.timeout, now: Now::Clock })
    }

    /// The same client with another time-out for its calls; `None` is no bound.
    #[must_use]
    pub fn with_timeout(&self, timeout: Option<Duration>) -> Self {
        Self { timeout, ..self.clone() }
    }

    /// The same client with this time instead of the system's.
    #[must_use]
    pub fn at(&self, now: SystemTime) -> Self {
        Self { now: Now::Given(Some(unix(now).into())), ..self.clone() }
    }

    /// Lists the jobs of the config's ids.
    pub async fn list_jobs(&self) -> Result<Response, Error> {
        self.list_jobs_for(&Ids::default()).await
    }

    /// Lists the jobs of other ids.
    pub async fn list_jobs_for(&self, ids: &Ids) -> Result<Response, Error> {
        self.request("list_jobs", ids.input(), None).await
    }

    /// Sends a request of your own to the service.
    pub async fn send_request(&self, request: Request) -> Result<Response, Error> {
        self.request("send_request", request.input(), request.body).await
    }

    /// Returns the cached token, or requests one.
    pub async fn get_token(&self) -> Result<Token, Error> {
        self.token(json!({})).await
    }

    /// Requests a new token. If that fails, the cached one is kept.
    pub async fn get_new_token(&self) -> Result<Token, Error> {
        self.token(json!({ "force": true })).await
    }

    /// Returns another token than this one, which the service refused in a request that was not made by this client.
    pub async fn replace_token(&self, refused: &Token) -> Result<Token, Error> {
        self.token(json!({ "refused": refused.access_token.expose() })).await
    }

    /// Adds the token to requests of your own to the service. Sends nothing, but checks the config.
    #[cfg(feature = "middleware")]
    pub async fn middleware(&self) -> Result<crate::Middleware, Error> {
        // The plugin knows the rules for addresses; it begins a call, which goes no further.
        let input = self.now.add(json!({ "customer_id": "-", "user_id": "-" }));
        let begin = [br#"{"call":"list_jobs","input":"#.as_slice(), &input, b"}"].concat();
        match self.export("begin", begin).await {
            Err(Error::Call(error))
                if !matches!(error.code, crate::Code::ConfigMissing | crate::Code::ConfigInvalid) => {}
            result => drop(result?),
        }
        let base = reqwest::Url::parse(&self.shared.base_url).map_err(|error| Error::Open(error.into()))?;
        Ok(crate::Middleware::new(self.clone(), base))
    }

    /// Caches a token that another client requested.
    pub async fn set_token(&self, token: &Token) -> Result<(), Error> {
        let input = serde_json::to_value(token).map_err(|_| Error::NotAToken)?;
        self.export("set_token", self.now.add(input)).await.map(drop)
    }

    /// Forgets the token, and the back-off after failed token requests.
    pub async fn clear_token(&self) -> Result<(), Error> {
        self.export("clear_token", Vec::new()).await.map(drop)
    }

    /// Waits for the calls in progress, then frees the plugin. Later calls return [`Error::Closed`].
    pub async fn close(&self) {
        drop(self.shared.plugin.lock().unwrap_or_else(PoisonError::into_inner).take());
        let _ = self.shared.freed.clone().changed().await; // an error, once it is freed
    }

    async fn request(&self, call: &str, input: Value, body: Option<Body>) -> Result<Response, Error> {
        let (_, answer) = self.call()?.run(call, &self.now.add(input), body).await?;
        answer.ok_or_else(|| Error::Failed("done without an answer".into()))
    }

    async fn token(&self, input: Value) -> Result<Token, Error> {
        let (output, _) = self.call()?.run("get_token", &self.now.add(input), None).await?;
        serde_json::from_value(output.unwrap_or_default()).map_err(|_| Error::NotAToken)
    }

    fn call(&self) -> Result<Call, Error> {
        let Self { shared, timeout, now } = self.clone();
        let plugin = shared.plugin.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Ok(Call { plugin: plugin.ok_or(Error::Closed)?, shared, now, timeout })
    }

    /// Makes a call from raw input, whose `now` is used for each step.
    #[doc(hidden)]
    pub async fn run(&self, call: &str, input: &[u8], body: Option<Body>) -> Result<Finished, Error> {
        let fields: Value = serde_json::from_slice(input).unwrap_or_default();
        let now = Now::Given(fields.get("now").cloned());
        Call { now, ..self.call()? }.run(call, input, body).await
    }

    #[doc(hidden)]
    pub async fn export(&self, export: &str, input: Vec<u8>) -> Result<Vec<u8>, Error> {
        self.call()?.plugin.call(export, input).await
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}
