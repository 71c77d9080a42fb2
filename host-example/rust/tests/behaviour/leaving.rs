//! Time-outs, cancellation and closing.

use std::time::Duration;

use rostering::{Code, Error};
use tokio::time::timeout;

use crate::errors::call_error;
use crate::service::{PATIENCE, Service};

const SHORT: Duration = Duration::from_millis(200);

#[tokio::test]
async fn time_out() {
    let service = Service::start();
    let client = service.client().await;
    client.get_token().await.unwrap();
    let _held = service.hold_jobs();
    let error = call_error(client.with_timeout(Some(SHORT)).list_jobs().await);
    assert_eq!((error.code, error.retryable), (Code::NetworkError, true));
    assert!(error.message.contains("timed out after 200ms"), "{error}");
}

/// The token request of a call that is dropped, or whose time is over, goes on.
#[tokio::test]
async fn token_request_outlives_its_caller() {
    let service = Service::start();
    let client = service.client().await;
    let mut held = service.hold_tokens();
    assert!(timeout(SHORT, client.list_jobs()).await.is_err());
    held.came().await;
    let error = call_error(client.with_timeout(Some(SHORT)).list_jobs().await);
    assert!(error.to_string().contains("network_error: timed out"), "{error}");
    drop(held);
    client.list_jobs().await.unwrap();
    assert_eq!(service.count(), (1, 1));
}

#[tokio::test]
async fn no_time_out() {
    let service = Service::start();
    let client = service.client().await;
    for timeout in [None, Some(Duration::MAX)] {
        client.with_timeout(timeout).list_jobs().await.unwrap();
    }
}

#[tokio::test]
async fn close_waits_for_calls() {
    let service = Service::start();
    let client = service.client().await;
    let mut held = service.hold_jobs();
    let call = tokio::spawn({
        let client = client.clone();
        async move { client.list_jobs().await }
    });
    held.came().await;
    assert!(timeout(SHORT, client.close()).await.is_err());
    let late = client.list_jobs().await;
    assert!(matches!(late, Err(Error::Closed)), "{late:?}");
    assert!(!call.is_finished());
    drop(held);
    timeout(PATIENCE, client.close()).await.unwrap();
    call.await.unwrap().unwrap();
}
