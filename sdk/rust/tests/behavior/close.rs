use std::pin::pin;
use std::time::Duration;

use automatic_rostering::{Client, Error};
use serde_json::json;
use tokio::time::timeout;

use crate::sandbox::{PATIENCE, Sandbox, until};

/// Begins a call whose request the sandbox holds.
async fn held(sandbox: &Sandbox, server: &str) -> (Client, tokio::task::JoinHandle<Result<(), Error>>) {
    let client = sandbox.client().await;
    sandbox.fault(&json!({ "server": server, "hold": true }));
    let calling = tokio::spawn({
        let client = client.clone();
        async move { client.list_jobs().await.map(drop) }
    });
    until(|| sandbox.counts() == if server == "auth" { (1, 0) } else { (1, 1) }).await;
    (client, calling)
}

#[tokio::test]
async fn close_waits_for_the_calls() {
    for server in ["auth", "jobs"] {
        let sandbox = Sandbox::start();
        let (client, calling) = held(&sandbox, server).await;
        let (mut closing, mut another) = (pin!(client.close()), pin!(client.close_within(PATIENCE)));
        assert!(timeout(Duration::from_millis(50), closing.as_mut()).await.is_err());
        assert!(timeout(Duration::from_millis(50), another.as_mut()).await.is_err());
        let later = client.list_jobs().await.unwrap_err();
        assert_eq!(later.to_string(), "the client is closed: open a new one");
        assert!(!later.is_retryable());
        assert!(matches!(client.clear_token().await, Err(Error::Closed)));
        sandbox.clear_faults();
        timeout(PATIENCE, async { (closing.await, another.await) }).await.unwrap();
        calling.await.unwrap().unwrap();
        timeout(PATIENCE, client.close()).await.unwrap(); // again
    }
}

#[tokio::test]
async fn close_cancels_the_calls_after_its_limit() {
    for server in ["auth", "jobs"] {
        let sandbox = Sandbox::start();
        let (client, calling) = held(&sandbox, server).await;
        timeout(PATIENCE, client.close_within(Duration::from_millis(50))).await.unwrap();
        let error = timeout(PATIENCE, calling).await.unwrap().unwrap().unwrap_err();
        assert!(matches!(error, Error::Closed), "{error:?}");
    }
}

/// The caller has left; the token request hangs.
#[tokio::test]
async fn close_cancels_a_token_request_that_nobody_waits_for() {
    let sandbox = Sandbox::start();
    let (client, calling) = held(&sandbox, "auth").await;
    calling.abort();
    assert!(calling.await.unwrap_err().is_cancelled());
    // Less than the 20 s that a token request may take.
    timeout(Duration::from_secs(10), client.close()).await.unwrap();
}

/// A call that is dropped in the middle of a token request leaves its token to the next one.
#[tokio::test]
async fn dropped_future() {
    let sandbox = Sandbox::start();
    let (client, calling) = held(&sandbox, "auth").await;
    calling.abort();
    sandbox.clear_faults();
    client.list_jobs().await.unwrap();
    assert_eq!(sandbox.counts(), (1, 1));
}
