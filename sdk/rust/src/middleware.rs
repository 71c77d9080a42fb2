use std::sync::atomic::Ordering;

use http::Extensions;
use reqwest::header::AUTHORIZATION;
use reqwest::{Request, Response, StatusCode, Url};
use reqwest_middleware::{Error, Next, Result};

use crate::Client;
use crate::send::Tokens;

/// A middleware for `reqwest-middleware` that adds the token to your own requests.
///
/// Only requests to the scheme, host and port of the config's `base_url` get it; `reqwest` removes it where a redirect
/// leads elsewhere. A request that has its own `Authorization` is sent unchanged. The ids are yours to add.
///
/// If the service responds with 401, the request is sent again with a new token, twice at most. The 401 is the response if
/// there is no new token, or if the body is a stream, which cannot be sent again; the next request then has the new token.
///
/// A token request that fails is a [`reqwest_middleware::Error::Middleware`], which holds a [`crate::Error`]:
/// `error.downcast_ref::<automatic_rostering::Error>()`.
#[derive(Clone, Debug)]
pub struct Middleware {
    pub(crate) client: Client,
    pub(crate) base: Url,
}

#[crate::async_trait]
impl reqwest_middleware::Middleware for Middleware {
    async fn handle(&self, request: Request, extensions: &mut Extensions, next: Next<'_>) -> Result<Response> {
        if !self.is_ours(request.url()) || request.headers().contains_key(AUTHORIZATION) {
            return next.run(request, extensions).await;
        }
        let response = self.send(request, extensions, next).await;
        self.client.shared().settle().await;
        response
    }
}

impl Middleware {
    fn is_ours(&self, url: &Url) -> bool {
        url.origin() == self.base.origin()
    }

    async fn send(&self, mut request: Request, extensions: &mut Extensions, next: Next<'_>) -> Result<Response> {
        let (shared, timeout) = (self.client.shared(), self.client.timeout);
        let tokens = Tokens::new(shared, request.body().is_none_or(|body| body.as_bytes().is_some()));
        let mut tokens = shared.bounded(timeout, tokens).await.map_err(Error::middleware)?;
        loop {
            let again = request.try_clone();
            tokens.authorize(&mut request).map_err(Error::middleware)?;
            shared.counts.service_requests.fetch_add(1, Ordering::Relaxed);
            let response = next.clone().run(request, extensions).await?;
            // After a redirect, it may be another server that responds.
            let status = if self.is_ours(response.url()) { response.status() } else { StatusCode::FOUND };
            let another = shared.bounded(timeout, tokens.replace(status)).await; // even if only the next request can use it
            let (Ok(true), Some(again)) = (another, again) else { return Ok(response) };
            request = again;
        }
    }
}
