use http::Extensions;
use reqwest::header::{AUTHORIZATION, HeaderValue};
use reqwest::{Request, Response, StatusCode, Url};
use reqwest_middleware::{Error, Next, Result};

use crate::{Client, Token};

/// A middleware for `reqwest-middleware` that adds the token to your own requests.
///
/// ```no_run
/// # async fn run(client: automatic_rostering::Client) -> Result<(), Box<dyn std::error::Error>> {
/// use automatic_rostering::{reqwest, reqwest_middleware::ClientBuilder};
///
/// let api = ClientBuilder::new(reqwest::Client::new()).with(client.middleware().await?).build();
/// let jobs = api.get("https://rostering.example.com/jobs").header("CUSTOMER_ID", "…").send().await?;
/// # Ok(())
/// # }
/// ```
///
/// Only requests to the scheme, host and port of the config's `base_url` get it; `reqwest` removes it where a redirect
/// leads elsewhere. A request that has its own `Authorization` is sent unchanged. The ids are yours to add.
///
/// If the service responds with 401, the request is sent once more with a new token. The 401 is the response if there is no
/// new token, or if the body is a stream, which cannot be sent again; the next request then has the new token.
///
/// A token request that fails is a [`reqwest_middleware::Error::Middleware`], which holds a [`crate::Error`]:
/// `error.downcast_ref::<automatic_rostering::Error>()`.
#[derive(Clone, Debug)]
pub struct Middleware {
    client: Client,
    base: Url,
}

impl Middleware {
    pub(crate) fn new(client: Client, base: Url) -> Self {
        Self { client, base }
    }

    fn is_ours(&self, url: &Url) -> bool {
        url.origin() == self.base.origin()
    }
}

#[crate::async_trait]
impl reqwest_middleware::Middleware for Middleware {
    async fn handle(&self, mut request: Request, extensions: &mut Extensions, next: Next<'_>) -> Result<Response> {
        if !self.is_ours(request.url()) || request.headers().contains_key(AUTHORIZATION) {
            return next.run(request, extensions).await;
        }
        let token = self.client.get_token().await.map_err(Error::middleware)?;
        let again = request.try_clone();
        add(&mut request, &token)?;
        let response = next.clone().run(request, extensions).await?;
        // After a redirect, it may be another server that responds.
        if response.status() != StatusCode::UNAUTHORIZED || !self.is_ours(response.url()) {
            return Ok(response);
        }
        let new = self.client.replace_token(&token).await; // even if only the next request can use it
        let (Some(mut again), Ok(new)) = (again, new) else { return Ok(response) };
        add(&mut again, &new)?;
        drop(response); // ends its connection, unless all of it is here
        next.run(again, extensions).await
    }
}

fn add(request: &mut Request, token: &Token) -> Result<()> {
    let value = format!("Bearer {}", token.access_token.expose());
    let mut value = HeaderValue::from_str(&value).map_err(|_| Error::middleware(crate::Error::NotAToken))?;
    value.set_sensitive(true); // hidden when printed
    request.headers_mut().insert(AUTHORIZATION, value);
    Ok(())
}
