use automatic_rostering::{Error, Response, reqwest::StatusCode};

use crate::sandbox::Sandbox;

// snippet
/// The code under test, which takes the call, or a fake of it.
async fn size(list_jobs: impl AsyncFn() -> Result<Response, Error>) -> Result<usize, Error> {
    Ok(list_jobs().await?.body.len())
}

#[tokio::test]
async fn returns_the_size() {
    let fake = async || Ok(Response::new(StatusCode::OK, "{}"));
    assert_eq!(size(fake).await.unwrap(), 2);
}
// end of snippet

#[tokio::test]
async fn the_client_fits() {
    let sandbox = Sandbox::start();
    let client = sandbox.client().await;
    size(async || client.list_jobs().await).await.unwrap();
    assert_eq!(sandbox.counts(), (1, 1));
}
