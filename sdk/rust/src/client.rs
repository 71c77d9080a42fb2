use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use reqwest::Method;
use serde_json::json;

use crate::request::{Headers, extend};
use crate::shared::{Shared, in_runtime};
use crate::{Code, Config, Error, Options, Request, Response, Secret, Status, Token, lock, opaque};

/// A client of the Automatic Rostering service, which holds the access token and renews it.
///
/// Open one per process: clones and views share it, and any number of tasks may call it concurrently. It needs a tokio runtime
/// with I/O and time.
///
/// To cancel a call, drop its future. A request to the service ends with it; a token request continues, for the other
/// callers and the next call.
#[derive(Clone)]
pub struct Client {
    open: Arc<Open>,
    pub(crate) timeout: Option<Duration>,
    /// The ids of the view: `None` sends no header.
    ids: BTreeMap<&'static str, Option<String>>,
    headers: Headers,
    is_view: bool,
}

/// What ends when the last clone of a client is dropped.
struct Open(Arc<Shared>);

impl Drop for Open {
    fn drop(&mut self) {
        if self.0.is_here() {
            self.0.end();
        }
    }
}

#[expect(clippy::unused_async, reason = "all calls are async")]
impl Client {
    /// Opens a client. Checks the config and sends nothing.
    ///
    /// Fails with the `key` of the config or of the options that is missing or invalid, or with [`Code::PluginFailed`] if
    /// the plugin cannot be loaded.
    pub async fn open(config: &Config, options: Options) -> Result<Self, Error> {
        let zero = |key: &str, hint| Error::about(Code::ConfigInvalid, key, format!("{key} is 0: {hint}"));
        if options.timeout.is_some_and(|timeout| timeout.is_zero()) {
            return Err(zero("timeout", "use None for unlimited calls"));
        }
        if options.max_body == 0 {
            return Err(zero("max_body", "no response would fit"));
        }
        in_runtime()?;
        let (timeout, headers) = (options.timeout, options.headers.clone());
        let shared = Arc::new(Shared::open(config, options)?);
        if !headers.is_empty() {
            match shared.request(&json!({ "headers": headers, "customer_id": null, "user_id": null })) {
                Err(error) if error.code != Code::ConfigMissing => return Err(error),
                _ => {} // a client for tokens alone needs no base_url
            }
        }
        Ok(Self { open: Arc::new(Open(shared)), timeout, ids: BTreeMap::new(), headers, is_view: false })
    }

    /// Returns a view for a customer: the same client and token, with this id in all calls. `None` sends no header.
    #[must_use]
    pub fn for_customer<'a>(&self, id: impl Into<Option<&'a str>>) -> Self {
        self.view("customer_id", id.into())
    }

    /// Returns a view for a user: the same client and token, with this id in all calls. `None` sends no header.
    #[must_use]
    pub fn for_user<'a>(&self, id: impl Into<Option<&'a str>>) -> Self {
        self.view("user_id", id.into())
    }

    fn view(&self, key: &'static str, id: Option<&str>) -> Self {
        let mut view = self.with_timeout(self.timeout);
        view.ids.insert(key, id.map(Into::into));
        view
    }

    /// Returns a view with another timeout for its calls; `None` is unlimited.
    #[must_use]
    pub fn with_timeout(&self, timeout: impl Into<Option<Duration>>) -> Self {
        Self { timeout: timeout.into(), is_view: true, ..self.clone() }
    }

    /// Returns a view whose calls also send these headers, in place of the client's of the same names:
    /// `client.with_headers([("traceparent", id)]).list_jobs()`.
    #[must_use]
    pub fn with_headers(&self, headers: impl IntoIterator<Item = (impl Into<String>, impl Into<String>)>) -> Self {
        let mut view = self.with_timeout(self.timeout);
        view.headers = headers.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        extend(&mut view.headers, &self.headers);
        view
    }

    /// Lists the jobs.
    pub async fn list_jobs(&self) -> Result<Response, Error> {
        self.send_request(Request::new(Method::GET, "/jobs")).await
    }

    /// Sends any other request to the service.
    pub async fn send_request(&self, request: Request) -> Result<Response, Error> {
        let call = async {
            let (mut input, body) = request.into_parts(&self.headers)?;
            for (&key, id) in &self.ids {
                input[key] = id.as_deref().into();
            }
            self.shared().send(&input, body).await
        };
        self.shared().run(self.timeout, call).await
    }

    /// Returns the cached token, or requests one.
    pub async fn get_token(&self) -> Result<Token, Error> {
        self.token(self.shared().token(None)).await
    }

    /// Requests a new token. If that fails, the cached one is kept.
    pub async fn get_new_token(&self) -> Result<Token, Error> {
        self.token(self.shared().force()).await
    }

    /// Replaces an access token that the service refused in a request that this client did not send. Returns the new one; the token
    /// is replaced once, however many callers report it.
    pub async fn replace_token(&self, refused: &str) -> Result<Token, Error> {
        let replaced = async {
            lock(&self.shared().holder).refuse(refused, false);
            self.shared().token(Some(refused)).await
        };
        self.token(replaced).await
    }

    /// Returns a middleware that adds the token to your own requests to the service. Checks the config and sends nothing.
    #[cfg(feature = "middleware")]
    pub async fn middleware(&self) -> Result<crate::Middleware, Error> {
        let _call = self.shared().begin()?;
        let request = self.shared().request(&json!({ "customer_id": null, "user_id": null }))?;
        Ok(crate::Middleware { client: self.clone(), base: request.url().clone() })
    }

    /// Caches a token that another client requested.
    pub async fn set_token(&self, token: &Token) -> Result<(), Error> {
        let mut input = serde_json::to_value(token).map_err(|_| Error::not_a_token())?;
        input["now"] = self.shared().now().into();
        self.shared().change("set_token", &input)
    }

    /// Forgets the token and the backoff after failed token requests.
    pub async fn clear_token(&self) -> Result<(), Error> {
        self.shared().change("clear_token", &json!({}))
    }

    /// Changes the client's secret, for its views, too. The next token request uses it, and a backoff after
    /// [`Code::TokenEndpointRejected`] ends; the token stays. If the secret is invalid, the client keeps the old one.
    pub async fn set_secret(&self, secret: impl Into<Secret>) -> Result<(), Error> {
        self.shared().plugin.configure(&[("client_secret".into(), secret.into().0)].into())
    }

    /// Returns what the client has done since it opened, and what it holds. Sends nothing and does not wait. After
    /// [`close`](Self::close), these are the last numbers.
    #[must_use]
    pub fn status(&self) -> Status {
        self.shared().status()
    }

    /// How often the plugin ran, for the library's own tests.
    #[doc(hidden)]
    #[must_use]
    pub fn plugin_calls(&self) -> u64 {
        self.shared().plugin.calls.load(Ordering::Relaxed)
    }

    /// Waits for the calls in progress, and for what is being written to the store, which takes two seconds at most. Abandons a
    /// token request that no call waits for, and frees the plugin and the connections. Later calls, also those of other clones
    /// and views, fail with [`Code::Closed`]. For a view, it does nothing.
    pub async fn close(&self) {
        self.close_within(Duration::MAX).await;
    }

    /// Closes like [`close`](Self::close), but waits no longer than this for calls: those that are still in progress then fail
    /// with [`Code::Closed`].
    pub async fn close_within(&self, limit: Duration) {
        if !self.is_view {
            self.shared().close(limit).await;
        }
    }

    async fn token(&self, token: impl Future<Output = Result<Arc<Token>, Error>>) -> Result<Token, Error> {
        self.shared().run(self.timeout, token).await.map(Arc::unwrap_or_clone)
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.open.0
    }
}

opaque!(Client);
