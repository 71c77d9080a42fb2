use automatic_rostering::{Error, Response, reqwest::StatusCode};
use serde_json::Value;

use crate::sandbox::Sandbox;

// snippet
/// The code under test, which takes the call, or a fake of it.
async fn titles(list_jobs: impl AsyncFn() -> Result<Response, Error>) -> Result<Vec<String>, Error> {
    let jobs: Value = list_jobs().await?.json().unwrap_or_default();
    let jobs = jobs["jobs"].as_array().cloned().unwrap_or_default();
    Ok(jobs.iter().filter_map(|job| job["title"].as_str()).map(String::from).collect())
}

#[tokio::test]
async fn finds_titles() {
    let fake = async || Ok(Response::new(StatusCode::OK, r#"{"jobs":[{"title":"Night"}]}"#));
    assert_eq!(titles(fake).await.unwrap(), ["Night"]);
}
// end of snippet

#[tokio::test]
async fn the_client_fits() {
    let sandbox = Sandbox::start();
    let client = sandbox.client().await;
    titles(async || client.list_jobs().await).await.unwrap();
    assert_eq!(sandbox.counts(), (1, 1));
}
