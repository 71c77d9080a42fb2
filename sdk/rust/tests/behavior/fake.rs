use automatic_rostering::{CallError, Calls, Code, Error, Request, Response, Token, async_trait, reqwest::StatusCode};
use serde_json::Value;

use crate::sandbox::Sandbox;

/// The code under test, which takes a client or a fake.
async fn titles(client: &dyn Calls) -> Result<Vec<String>, Error> {
    let jobs: Value = client.list_jobs().await?.json().unwrap_or_default();
    let jobs = jobs["jobs"].as_array().cloned().unwrap_or_default();
    Ok(jobs.iter().filter_map(|job| job["title"].as_str()).map(String::from).collect())
}

// snippet
struct Fake;

#[async_trait]
impl Calls for Fake {
    async fn list_jobs(&self) -> Result<Response, Error> {
        Ok(Response::new(StatusCode::OK, r#"{"jobs":[{"title":"Night"}]}"#))
    }
    async fn send_request(&self, _: Request) -> Result<Response, Error> {
        Err(CallError::new(Code::NetworkError, "no response").into())
    }
    async fn get_token(&self) -> Result<Token, Error> {
        unimplemented!()
    }
}
// end of snippet

#[tokio::test]
async fn fake_of_the_client() {
    assert_eq!(titles(&Fake).await.unwrap(), ["Night"]);
    let error = Fake.send_request(Request::default()).await.unwrap_err();
    assert_eq!(error.to_string(), "network_error: no response");
    // The client itself fits, too, and a view of it.
    let sandbox = Sandbox::start();
    titles(&sandbox.client().await.for_customer("other")).await.unwrap();
    assert_eq!(sandbox.counts(), (1, 1));
}
