use crate::{Error, Request, Response, Token, async_trait};

/// The calls of a [`Client`](crate::Client) as a trait, so that tests of your code can pass a fake.
#[async_trait]
pub trait Calls: Send + Sync {
    /// Lists the jobs: see [`Client::list_jobs`](crate::Client::list_jobs).
    async fn list_jobs(&self) -> Result<Response, Error>;

    /// Sends a request: see [`Client::send_request`](crate::Client::send_request).
    async fn send_request(&self, request: Request) -> Result<Response, Error>;

    /// Returns a token: see [`Client::get_token`](crate::Client::get_token).
    async fn get_token(&self) -> Result<Token, Error>;
}
