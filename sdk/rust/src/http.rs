use std::cell::Cell;
use std::collections::HashMap;
use std::error::Error;
use std::io::{self, ErrorKind};
use std::net::IpAddr;
use std::sync::{Arc, LazyLock, Mutex};
use std::{future, iter};

use bytes::BytesMut;
use reqwest::redirect::Policy;
use reqwest::{ClientBuilder, Method, Request, StatusCode, Url, retry};
use rustls::ClientConfig;
use rustls::crypto::{CryptoProvider, ring};
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::runtime::{Handle, Id};
use tokio::task::JoinSet;
use tower::util::MapRequestLayer;

use crate::error::text;
use crate::{Cause, Code, Options, Response, lock};

/// One byte more than the plugin reads of an error of the service, so that it can tell that the body was longer.
pub const MAX_ERROR: usize = (4 << 10) + 1;

/// How many headers a response may have.
const MAX_HEADERS: usize = 250;

/// TLS with ring, or the default provider that the program has chosen. Reading the system's certificates takes milliseconds:
/// clients share them, and they are kept for the process.
static TLS: LazyLock<Result<ClientConfig, Arc<rustls::Error>>> = LazyLock::new(|| {
    let provider = CryptoProvider::get_default().cloned().unwrap_or_else(|| ring::default_provider().into());
    let versions = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let mut tls = versions.with_platform_verifier()?.with_no_client_auth();
    tls.alpn_protocols = vec!["http/1.1".into()];
    Ok(tls)
});

tokio::task_local! {
    /// Whether what sends a request has begun a connection. Otherwise a server may have closed an idle one just as the request
    /// arrived there: if it may be repeated, it is sent once more.
    static CONNECTS: Cell<bool>;
}

/// The HTTP client of a runtime, and a task that ends with that.
type OfRuntime = (reqwest::Client, JoinSet<()>);

/// Sends requests, and follows no redirect.
pub struct Http {
    make: Box<dyn Fn(bool) -> Result<reqwest::Client, Cause> + Send + Sync>,
    /// Those of each runtime, which alone drives the connections that begin there. For URLs on loopback (true), they are
    /// without the proxies of the environment.
    clients: Mutex<HashMap<(Id, bool), OfRuntime>>,
    pub max_body: usize,
}

impl Http {
    pub fn new(options: &Options) -> Result<Self, crate::Error> {
        if options.http.is_some() && CryptoProvider::get_default().is_none() {
            // reqwest would panic.
            let message = "Options::http needs a default provider of rustls: choose one for the program, for example with \
                automatic_rostering::rustls::crypto::ring::default_provider().install_default()";
            return Err(crate::Error::about(Code::ConfigInvalid, "http", message));
        }
        let (user_agent, configure) = (options.user_agent.clone(), options.http.clone());
        let make = move |loopback| -> Result<_, Cause> {
            let preset = ClientBuilder::new().user_agent(&user_agent).http1_max_headers(MAX_HEADERS);
            let connects = MapRequestLayer::new(|request| {
                let _ = CONNECTS.try_with(|connects| connects.set(true));
                request
            });
            let preset = preset.connector_layer(connects);
            let preset = if loopback { preset.no_proxy() } else { preset };
            let set = match &configure {
                Some(configure) => configure(preset),
                None => preset.tls_backend_preconfigured(TLS.clone()?),
            };
            let once_more = retry::for_host(AnyHost).no_budget().max_retries_per_request(1).classify_fn(|sent| {
                let is_idempotent = matches!(*sent.method(), Method::GET | Method::HEAD);
                let is_idle = CONNECTS.try_with(Cell::get) == Ok(false);
                if is_idempotent && is_idle && sent.error().is_some_and(was_closed) {
                    sent.retryable()
                } else {
                    sent.success()
                }
            });
            Ok(set.redirect(Policy::none()).retry(once_more).build()?)
        };
        Ok(Self { make: Box::new(make), clients: Mutex::default(), max_body: options.max_body })
    }

    /// Makes the client for requests to a URL in the current runtime, if that is valid.
    pub fn prepare(&self, url: &str) -> Result<(), crate::Error> {
        let made = Url::parse(url).map_or(Ok(()), |url| self.client(&url).map(drop));
        made.map_err(|error| {
            let message = "the HTTP client cannot be made; check its settings and user_agent";
            crate::Error::about(Code::ConfigInvalid, "http", format!("{message}: {}", text(&*error)))
        })
    }

    fn client(&self, url: &Url) -> Result<reqwest::Client, Cause> {
        let (key, mut clients) = ((Handle::current().id(), is_loopback(url)), lock(&self.clients));
        let lives = |runtime: &mut JoinSet<()>| runtime.try_join_next().is_none();
        if let Some((client, runtime)) = clients.get_mut(&key)
            && lives(runtime)
        {
            return Ok(client.clone());
        }
        clients.retain(|_, (_, runtime)| lives(runtime));
        let (client, mut runtime) = ((self.make)(key.1)?, JoinSet::new());
        runtime.spawn(future::pending());
        clients.insert(key, (client.clone(), runtime));
        Ok(client)
    }

    /// Closes the connections that no request uses.
    pub fn close(&self) {
        lock(&self.clients).clear();
    }

    /// Sends a request. Reads at most this many bytes of the body, of a result or of an error.
    pub async fn send(&self, request: Request, of_result: usize, of_error: usize) -> Result<Response, Cause> {
        let client = self.client(request.url())?;
        let sent = CONNECTS.scope(Cell::new(false), client.execute(request)).await;
        let mut response = sent.map_err(reqwest::Error::without_url)?;
        let (status, headers) = (response.status(), std::mem::take(response.headers_mut()));
        let limit = if is_result(status) { of_result } else { of_error };
        let mut body = BytesMut::new();
        while body.len() < limit
            && let Some(chunk) = response.chunk().await.map_err(reqwest::Error::without_url)?
        {
            body.extend_from_slice(&chunk);
        }
        body.truncate(limit);
        Ok(Response { status, headers, body: body.freeze() })
    }
}

/// Returns whether the server closed the connection without a response.
fn was_closed(error: &(dyn Error + 'static)) -> bool {
    let closed = |error: &(dyn Error + 'static)| {
        let reset = error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == ErrorKind::ConnectionReset);
        reset || error.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_incomplete_message)
    };
    iter::successors(Some(error), |&error| error.source()).any(closed)
}

/// A retry applies to each of the two.
struct AnyHost;

impl PartialEq<&str> for AnyHost {
    fn eq(&self, _: &&str) -> bool {
        true
    }
}

/// Returns whether a response of the service with this status is the result of a call.
pub fn is_result(status: StatusCode) -> bool {
    status.is_success() || status == StatusCode::NOT_MODIFIED
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse();
    host == "localhost" || address.is_ok_and(|address: IpAddr| address.is_loopback())
}
