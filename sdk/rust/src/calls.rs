use crate::{Error, Request, Response, Token, async_trait};

/// The calls of a [`Client`](crate::Client): for code of yours whose tests pass a fake instead.
#[async_trait]
pub trait Calls: Send + Sync {
    /// See [`Client::list_jobs`](crate::Client::list_jobs).
    async fn list_jobs(&self) -> Result<Response, Error>;

    /// See [`Client::send_request`](crate::Client::send_request).
    async fn send_request(&self, request: Request) -> Result<Response, Error>;

    /// See [`Client::get_token`](crate::Client::get_token).
    async fn get_token(&self) -> Result<Token, Error>;
}
