//! How token flows end. The rest of them is in tests/rules.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use automatic_rostering::{Client, Code, MemoryStore, Options};
use serde_json::json;
use tokio::runtime::Runtime;
use tracing_subscriber::{filter::Targets, fmt::layer, prelude::*};

use crate::api::call_error;
use crate::sandbox::{PATIENCE, Sandbox};

/// Waits until something is so.
async fn until(mut so: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !so() {
        assert!(Instant::now() < end);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// A panic of the store, which runs in the same task, ends the token request in the same way.
#[tokio::test]
async fn panic_of_a_clock_in_a_token_request() {
    let (sandbox, panicked) = (Sandbox::start(), AtomicBool::default());
    let clock = move || {
        let is_callers = tokio::task::try_id().is_none(); // as only the token request is a task
        assert!(is_callers || panicked.swap(true, Ordering::SeqCst), "once");
        SystemTime::now()
    };
    let client = Client::open(&sandbox.config(), Options::default().clock(clock)).await.unwrap();
    let (a, b) = tokio::join!(client.get_token(), client.list_jobs());
    assert_eq!((call_error(a).code, call_error(b).code), (Code::PluginFailed, Code::PluginFailed));
    client.list_jobs().await.unwrap();
    assert_eq!(sandbox.counts(), (1, 1));
}

/// A log handler that panics, or calls the client, does so when nothing is locked.
#[tokio::test]
async fn panic_of_a_log_handler() {
    let sandbox = Sandbox::start();
    let client = sandbox.client().await;
    let panics = layer().with_writer(|| -> std::io::Sink { panic!("a log handler") });
    let ours = Targets::new().with_target("automatic_rostering", tracing::Level::DEBUG);
    let log = tracing_subscriber::registry().with(panics.with_filter(ours)).set_default();
    client.get_token().await.unwrap();
    drop(log);
    client.list_jobs().await.unwrap();
    assert_eq!(sandbox.counts(), (1, 1));
}

/// The flow would otherwise end after 20 s.
#[tokio::test]
async fn drop_of_the_last_clone() {
    let sandbox = Sandbox::start();
    sandbox.fault(&json!({ "server": "auth", "hold": true }));
    let store = Arc::new(MemoryStore::default());
    let client = Client::open(&sandbox.config(), Options::default().store(store.clone())).await.unwrap();
    let view = client.with_timeout(Duration::from_millis(300));
    view.list_jobs().await.unwrap_err();
    drop(client);
    assert!(Arc::strong_count(&store) > 1);
    drop(view);
    let dropped = Instant::now();
    until(|| Arc::strong_count(&store) == 1).await;
    assert!(dropped.elapsed() < Duration::from_secs(10));
}

/// Who waits in another runtime begins another token request.
#[test]
fn runtime_that_is_dropped() {
    let sandbox = Sandbox::start();
    sandbox.fault(&json!({ "server": "auth", "hold": true, "requests": 1 }));
    let [first, second] = [(); 2].map(|()| Runtime::new().unwrap());
    let client = first.block_on(sandbox.client());
    let caller = client.clone();
    first.spawn(async move { caller.list_jobs().await });
    second.block_on(async {
        until(|| sandbox.counts() == (1, 0)).await;
        let waiting = tokio::spawn(async move { client.list_jobs().await });
        tokio::task::yield_now().await;
        first.shutdown_background();
        waiting.await.unwrap().unwrap();
    });
    assert_eq!(sandbox.counts(), (2, 1));
}
