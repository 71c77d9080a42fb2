use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, LazyLock, Mutex};

use bytes::BytesMut;
use reqwest::redirect::Policy;
use reqwest::{ClientBuilder, Request, StatusCode, Url, retry};
use rustls::ClientConfig;
use rustls::crypto::{CryptoProvider, ring};
use rustls_platform_verifier::BuilderVerifierExt;

use crate::{Cause, Code, Error, Options, Response, lock};

/// One byte more than the plugin reads of an error of the service, so that it can tell that the body was longer.
pub const MAX_ERROR: usize = (4 << 10) + 1;

/// TLS with ring, or the default provider that the program has chosen. Reading the system's certificates takes milliseconds:
/// clients share them, and they are kept for the process.
static TLS: LazyLock<Result<ClientConfig, Arc<rustls::Error>>> = LazyLock::new(|| {
    let provider = CryptoProvider::get_default().cloned().unwrap_or_else(|| ring::default_provider().into());
    let versions = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let mut tls = versions.with_platform_verifier()?.with_no_client_auth();
    tls.alpn_protocols = vec!["http/1.1".into()];
    Ok(tls)
});

/// Sends requests once, and follows no redirect.
pub struct Http {
    /// Those that the config needs: for URLs on loopback (true), without the proxies of the environment, and for others.
    clients: Mutex<HashMap<bool, reqwest::Client>>,
    pub max_body: usize,
}

impl Http {
    /// Makes the clients for requests to these URLs.
    pub fn new(options: &Options, urls: &[&str]) -> Result<Self, Error> {
        if options.http.is_some() && CryptoProvider::get_default().is_none() {
            // reqwest would panic.
            let message = "Options::http needs a default provider of rustls: choose one for the program, for example with \
                automatic_rostering::rustls::crypto::ring::default_provider().install_default()";
            return Err(Error::about(Code::ConfigInvalid, "http", message));
        }
        let urls: Vec<_> = urls.iter().filter_map(|url| Url::parse(url).ok()).collect();
        let client = |loopback: bool| -> Result<_, Cause> {
            let preset = ClientBuilder::new().user_agent(&options.user_agent);
            let preset = if loopback { preset.no_proxy() } else { preset };
            let set = match &options.http {
                Some(configure) => configure(preset),
                None => preset.tls_backend_preconfigured(TLS.clone()?),
            };
            Ok((loopback, set.redirect(Policy::none()).retry(retry::never()).build()?))
        };
        let needed: BTreeSet<_> = urls.iter().map(is_loopback).collect();
        let clients: Result<_, _> = needed.into_iter().map(client).collect();
        let open = |error| Error::open("the HTTP client cannot be made; check Options::http and user_agent", error);
        Ok(Self { clients: Mutex::new(clients.map_err(open)?), max_body: options.max_body })
    }

    /// Closes the connections that no request uses.
    pub fn close(&self) {
        lock(&self.clients).clear();
    }

    /// Sends a request. Reads at most this many bytes of the body, of a result or of an error.
    pub async fn send(&self, request: Request, of_result: usize, of_error: usize) -> Result<Response, Cause> {
        let client = lock(&self.clients).get(&is_loopback(request.url())).cloned().ok_or("not a URL of the config")?;
        let mut response = client.execute(request).await.map_err(reqwest::Error::without_url)?;
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

/// Returns whether a response of the service with this status is the result of a call.
pub fn is_result(status: StatusCode) -> bool {
    status.is_success() || status == StatusCode::NOT_MODIFIED
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse();
    host == "localhost" || address.is_ok_and(|address: IpAddr| address.is_loopback())
}
