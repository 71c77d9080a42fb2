use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use automatic_rostering::{CONTRACT, Cause, Client, Config, Error, Options, Store, async_trait};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::sandbox::PATIENCE;

/// A plugin in WebAssembly's text format. Its exports return these outputs, one after the other; `check` and `clear_token` return
/// nothing.
fn plugin(outputs: &[Value]) -> Vec<u8> {
    let outputs: Vec<_> = outputs.iter().map(|output| format!("{:256}", output.to_string())).collect();
    let escaped = outputs.concat().replace('"', "\\22");
    let text = format!(
        r#"(module
            (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
            (import "extism:host/env" "store_u64" (func $store (param i64 i64)))
            (import "extism:host/env" "output_set" (func $output (param i64 i64)))
            (memory 1)
            (data (i32.const 0) "{escaped}")
            (global $next (mut i32) (i32.const 0))
            (func $return_next (export "version") (export "begin") (export "resume") (result i32)
                (local $block i64) (local $i i32)
                (local.set $block (call $alloc (i64.const 256)))
                (loop $copy
                    (call $store
                        (i64.add (local.get $block) (i64.extend_i32_u (local.get $i)))
                        (i64.load (i32.add (global.get $next) (local.get $i))))
                    (local.set $i (i32.add (local.get $i) (i32.const 8)))
                    (br_if $copy (i32.lt_u (local.get $i) (i32.const 256))))
                (global.set $next (i32.add (global.get $next) (i32.const 256)))
                (call $output (local.get $block) (i64.const 256))
                (i32.const 0))
            (func (export "check") (export "clear_token") (result i32) (i32.const 0)))"#
    );
    wat::parse_str(text).unwrap()
}

fn version(contract: u64) -> Value {
    json!({ "version": "9.0.0", "contract": contract })
}

/// Why a file is refused.
async fn refusal(wasm: impl Into<Vec<u8>>) -> String {
    match Client::open(&Config::default(), Options::default().wasm(wasm.into())).await {
        Err(Error::Open(cause)) => cause.to_string(),
        result => panic!("{result:?}"),
    }
}

#[tokio::test]
async fn of_other_files() {
    let needs = ", and this library needs 2: use the library from the plugin's release";
    assert_eq!(refusal(plugin(&[version(3)])).await, format!("the plugin has contract 3{needs}"));
    let unknown = "the plugin does not report its contract (";
    for wasm in [b"\0asm\x01\0\0\0".to_vec(), plugin(&[json!({})])] {
        let refused = refusal(wasm).await;
        assert!(refused.starts_with(unknown) && refused.ends_with(needs), "{refused}");
    }
    for file in ["", "#!/bin/sh\n", "\0asm"] {
        let refused = refusal(file).await;
        assert!(
            refused.starts_with("the plugin does not load; if you set Options::wasm, check that file: "),
            "{refused}"
        );
    }
}

/// A store whose operations do not end before it is released.
struct Held {
    entered: Semaphore,
    let_go: Semaphore,
}

#[async_trait]
impl Store for Held {
    async fn get(&self, _: &str) -> Result<Option<String>, Cause> {
        self.entered.add_permits(1);
        self.let_go.acquire().await?.forget();
        Ok(None)
    }

    async fn add(&self, _: &str, _: &str, _: Duration) -> Result<bool, Cause> {
        unimplemented!()
    }

    async fn set(&self, _: &str, _: &str, _: Duration) -> Result<(), Cause> {
        unimplemented!()
    }
}

fn done(token: &str) -> Value {
    let output = json!({ "access_token": token, "token_type": "Bearer", "expires_at": 1, "cache_key": "" });
    json!({ "step": "done", "output": output })
}

async fn call(client: &Client) -> String {
    client.get_token().await.unwrap().access_token.expose().into()
}

/// Polls a call once, which must not end it.
async fn poll(mut call: Pin<&mut dyn Future<Output = String>>) {
    assert!(poll_fn(|context| Poll::Ready(call.as_mut().poll(context).is_pending())).await);
}

/// A call is in the store while another one begins, which the plugin tells to wait for eleven days. Outputs 1 and 2 are the
/// results of the next two calls of the plugin.
async fn wait(what: &str, then: impl AsyncFnOnce(Pin<&mut dyn Future<Output = String>>, &Client)) {
    let store = Arc::new(Held { entered: Semaphore::new(0), let_go: Semaphore::new(0) });
    let outputs = [
        version(CONTRACT),
        json!({ "step": "store", "timeout": 600, "op": "get", "key": "k", "flow": {} }),
        json!({ "step": "wait", "for": what, "seconds": 1e6, "flow": {} }),
        done("1"),
        done("2"),
    ];
    let options = Options::default().wasm(plugin(&outputs)).store(store.clone()).timeout(None);
    let client = Client::open(&Config::default(), options).await.unwrap();
    let first = tokio::spawn({
        let client = client.clone();
        async move { call(&client).await }
    });
    store.entered.acquire().await.unwrap().forget();
    let mut waiting = pin!(call(&client));
    poll(waiting.as_mut()).await;
    // The plugin has returned the wait, but this task has not seen it yet.
    let again = client.clone();
    tokio::spawn(async move { again.clear_token().await }).await.unwrap().unwrap();
    store.let_go.add_permits(1);
    assert_eq!(first.await.unwrap(), "1");
    then(waiting, &client).await;
}

#[tokio::test]
async fn wait_ends_with_the_call() {
    wait("call", async |waiting, _| assert_eq!(timeout(PATIENCE, waiting).await.unwrap(), "2")).await;
}

#[tokio::test]
async fn wait_for_the_store_does_not_end_with_a_call() {
    wait("store", async |mut waiting, client| {
        poll(waiting.as_mut()).await;
        assert_eq!(call(client).await, "2");
    })
    .await;
}
