use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::runtime::Handle;

use crate::driver::Driver;
use crate::{Body, CallError, Calls, Code, Config, Error, Id, Options, Request, Response, Token, async_trait, lock};

/// A client of the Automatic Rostering service, which holds the access token and renews it.
///
/// Open one per process: clones and views share it, and any number of tasks may call it at once. It needs a tokio runtime
/// with I/O and time.
///
/// To cancel a call, drop its future. A request to the service ends with it; a token request continues, for the other
/// callers and the next call.
#[derive(Clone)]
pub struct Client {
    open: Arc<Open>,
    pub(crate) timeout: Option<Duration>,
    customer: Id,
    user: Id,
}

/// What ends when the last clone of a client is dropped.
struct Open(Arc<Driver>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl Client {
    /// Opens a client. Checks the config and sends nothing.
    ///
    /// Fails with [`Error::Call`] if the config lacks what every call needs or something in it is invalid, and with
    /// [`Error::Open`] if the plugin or the HTTP client cannot be made.
    #[expect(clippy::unused_async, reason = "as the other calls")]
    pub async fn open(config: &Config, options: Options) -> Result<Self, Error> {
        let zero = |key: &str, hint| CallError::new(Code::ConfigInvalid, format!("{key} is 0: {hint}")).about(key);
        if options.timeout.is_some_and(|timeout| timeout.is_zero()) {
            return Err(zero("timeout", "use None for unlimited calls"));
        }
        if options.max_body == 0 {
            return Err(zero("max_body", "no response would fit"));
        }
        Handle::try_current().map_err(|_| Error::NoRuntime)?; // tokio would panic
        let timeout = options.timeout;
        let driver = Arc::new(Driver::open(config, options)?);
        Ok(Self { open: Arc::new(Open(driver)), timeout, customer: Id::Default, user: Id::Default })
    }

    /// Returns a view for a customer: the same client and token, with this id in all calls. `None` sends no header.
    #[must_use]
    pub fn for_customer(&self, id: impl Into<Id>) -> Self {
        Self { customer: id.into(), ..self.clone() }
    }

    /// Returns a view for a user: the same client and token, with this id in all calls. `None` sends no header.
    #[must_use]
    pub fn for_user(&self, id: impl Into<Id>) -> Self {
        Self { user: id.into(), ..self.clone() }
    }

    /// Returns a view with another timeout for its calls; `None` is unlimited.
    #[must_use]
    pub fn with_timeout(&self, timeout: impl Into<Option<Duration>>) -> Self {
        Self { timeout: timeout.into(), ..self.clone() }
    }

    /// Lists the jobs.
    pub async fn list_jobs(&self) -> Result<Response, Error> {
        self.send(json!({}), None).await
    }

    /// Sends any other request to the service.
    pub async fn send_request(&self, request: Request) -> Result<Response, Error> {
        let (input, body) = request.into_parts()?;
        self.send(input, body).await
    }

    /// Returns the cached token, or requests one.
    pub async fn get_token(&self) -> Result<Token, Error> {
        self.token(self.driver().token(None)).await
    }

    /// Requests a new token. If that fails, the cached one is kept.
    pub async fn get_new_token(&self) -> Result<Token, Error> {
        self.token(self.driver().force()).await
    }

    /// Replaces a token that the service refused in a request that this client did not send. Returns the new one; the token
    /// is replaced once, however many callers report it.
    pub async fn replace_token(&self, refused: &Token) -> Result<Token, Error> {
        let refused = refused.access_token.expose();
        let replaced = async {
            lock(&self.driver().holder).refuse(refused, false);
            self.driver().token(Some(refused)).await
        };
        self.token(replaced).await
    }

    /// Returns a middleware that adds the token to your own requests to the service. Checks the config and sends nothing.
    #[cfg(feature = "middleware")]
    #[expect(clippy::unused_async, reason = "as the other calls")]
    pub async fn middleware(&self) -> Result<crate::Middleware, Error> {
        let _running = self.driver().begin()?;
        let request = self.driver().request(&json!({ "customer_id": null, "user_id": null }))?;
        Ok(crate::Middleware::new(self.clone(), request.url().clone()))
    }

    /// Caches a token that another client requested.
    #[expect(clippy::unused_async, reason = "as the other calls")]
    pub async fn set_token(&self, token: &Token) -> Result<(), Error> {
        let mut input = serde_json::to_value(token).map_err(|_| Error::NotAToken)?;
        input["now"] = self.driver().now().into();
        self.driver().change("set_token", &input)
    }

    /// Forgets the token and the backoff after failed token requests.
    #[expect(clippy::unused_async, reason = "as the other calls")]
    pub async fn clear_token(&self) -> Result<(), Error> {
        self.driver().change("clear_token", &json!({}))
    }

    /// Waits for the calls in progress, abandons a token request that no call waits for, and frees the plugin and the
    /// connections. Later calls, also those of other clones and views, return [`Error::Closed`].
    pub async fn close(&self) {
        self.close_within(Duration::MAX).await;
    }

    /// Closes like [`close`](Self::close), but waits no longer than this: calls that are still in progress then end with
    /// [`Error::Closed`].
    pub async fn close_within(&self, limit: Duration) {
        self.driver().close(limit).await;
    }

    async fn send(&self, mut input: Value, body: Option<Body>) -> Result<Response, Error> {
        self.customer.add("customer_id", &mut input);
        self.user.add("user_id", &mut input);
        self.driver().run(self.timeout, self.driver().send(&input, body)).await
    }

    async fn token(&self, token: impl Future<Output = Result<Arc<Token>, Error>>) -> Result<Token, Error> {
        self.driver().run(self.timeout, token).await.map(Arc::unwrap_or_clone)
    }

    pub(crate) fn driver(&self) -> &Arc<Driver> {
        &self.open.0
    }
}

#[async_trait]
impl Calls for Client {
    async fn list_jobs(&self) -> Result<Response, Error> {
        self.list_jobs().await
    }

    async fn send_request(&self, request: Request) -> Result<Response, Error> {
        self.send_request(request).await
    }

    async fn get_token(&self) -> Result<Token, Error> {
        self.get_token().await
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut client = f.debug_struct("Client");
        client.field("timeout", &self.timeout).field("customer", &self.customer).field("user", &self.user);
        client.finish_non_exhaustive()
    }
}
