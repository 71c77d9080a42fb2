//! How token flows end. The rest of them is in tests/rules.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use automatic_rostering::{Cause, Client, Code, MemoryStore, Options, Store, async_trait};
use serde_json::json;
use tracing_subscriber::{filter::Targets, fmt::layer, prelude::*};

use crate::api::call_error;
use crate::connections::still;
use crate::sandbox::{PATIENCE, Sandbox};

/// Waits until something is so.
async fn until(mut so: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !so() {
        assert!(Instant::now() < end);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn panic_of_a_clock_in_a_token_request() {
    let (sandbox, panicked) = (Sandbox::start(), AtomicBool::default());
    let clock = move || {
        let is_callers = tokio::task::try_id().is_none(); // as only the token request is a task
        assert!(is_callers || panicked.swap(true, Ordering::SeqCst), "once");
        SystemTime::now()
    };
    let client = Client::open(&sandbox.config(), Options::default().clock(clock)).await.unwrap();
    assert_eq!(call_error(client.get_token().await).code, Code::PluginFailed);
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

/// A token request ends, though its caller has left, and nobody polls the runtime of that.
#[test]
fn caller_in_a_runtime_that_stands_still() {
    let sandbox = Sandbox::start();
    sandbox.fault(&json!({ "server": "auth", "delay_ms": 300, "requests": 1 }));
    let [first, second] = [(); 2].map(|()| still());
    let client = first.block_on(sandbox.client());
    call_error(first.block_on(client.with_timeout(Duration::from_millis(100)).list_jobs()));
    second.block_on(client.with_timeout(Duration::from_secs(20)).list_jobs()).unwrap();
    assert_eq!(sandbox.counts(), (1, 1));
}

/// A store fails no call, even if it panics, or cannot say why it failed.
#[tokio::test]
async fn store_that_panics() {
    let sandbox = Sandbox::start();
    let client = Client::open(&sandbox.config(), Options::default().store(Arc::new(Careless))).await.unwrap();
    client.list_jobs().await.unwrap();
    assert!(client.status().store_failures > 0);
}

#[derive(Debug)]
struct Careless;

#[async_trait]
impl Store for Careless {
    async fn get(&self, _: &str) -> Result<Option<String>, Cause> {
        panic!("a store")
    }

    async fn add(&self, _: &str, _: &str, _: Duration) -> Result<bool, Cause> {
        Err(Box::new(Self))
    }

    async fn set(&self, _: &str, _: &str, _: Duration) -> Result<(), Cause> {
        Err(Box::new(Self))
    }
}

impl std::error::Error for Careless {}

impl fmt::Display for Careless {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Err(fmt::Error)
    }
}

/// A clock that panics does so in calls, not when the client is dropped.
#[tokio::test]
async fn drop_with_a_clock_that_panics() {
    let (sandbox, panics) = (Sandbox::start(), Arc::new(AtomicBool::default()));
    let flag = panics.clone();
    let clock = move || if flag.load(Ordering::SeqCst) { panic!("a clock") } else { SystemTime::now() };
    let client = Client::open(&sandbox.config(), Options::default().clock(clock)).await.unwrap();
    panics.store(true, Ordering::SeqCst);
    drop(client);
}
