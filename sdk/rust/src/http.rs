use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;
use std::sync::Mutex;

use bytes::BytesMut;
use reqwest::redirect::Policy;
use reqwest::{ClientBuilder, Request, StatusCode, Url, retry};
use rustls::crypto::ring;

use crate::{Cause, Error, Options, Response, VERSION, lock};

/// One byte more than the plugin reads of an error of the service, so that it can tell that the body was longer.
pub const MAX_ERROR: usize = (4 << 10) + 1;

/// Sends requests once, and follows no redirect.
pub struct Http {
    /// Those that the config needs: for URLs on loopback (true), without the proxies of the environment, and for others.
    clients: Mutex<HashMap<bool, reqwest::Client>>,
    pub max_body: usize,
}

impl Http {
    /// Makes the clients for requests to these URLs.
    pub fn new(options: &Options, urls: &[&str]) -> Result<Self, Error> {
        // reqwest would panic without a default for the whole process. An existing one is kept.
        let _ = ring::default_provider().install_default();
        let urls: Vec<_> = urls.iter().filter_map(|url| Url::parse(url).ok()).collect();
        let client = |loopback: bool| {
            let preset = ClientBuilder::new().user_agent(format!("automatic-rostering/{VERSION} (rust)"));
            let preset = if loopback { preset.no_proxy() } else { preset };
            (options.http)(preset)
                .redirect(Policy::none())
                .retry(retry::never())
                .build()
                .map(|client| (loopback, client))
        };
        let needed: BTreeSet<_> = urls.iter().map(is_loopback).collect();
        let clients: Result<_, _> = needed.into_iter().map(client).collect();
        let open = |error| Error::open("the HTTP client cannot be made; check Options::http", error);
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
