use std::collections::HashMap;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Mutex;
use std::task::Poll;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use serde_json::{Value, json};

use crate::error::text;
use crate::{Cause, lock, opaque};

mod file;
#[cfg(feature = "redis")]
mod redis;

pub use file::FileStore;
#[cfg(feature = "redis")]
pub use redis::RedisStore;

/// A store through which clients share their token.
///
/// Anyone who can read it has the token, and anyone who can write it chooses which token of this client is sent. If an
/// operation fails or takes more than a second, the call continues without the store, and a warning is logged, once a
/// minute.
#[async_trait]
pub trait Store: Send + Sync {
    /// Reads a value.
    async fn get(&self, key: &str) -> Result<Option<String>, Cause>;

    /// Sets a value to expire after `ttl`, atomically and only if the key is absent. Returns whether it set it.
    async fn add(&self, key: &str, value: &str, ttl: Duration) -> Result<bool, Cause>;

    /// Sets a value to expire after `ttl`.
    async fn set(&self, key: &str, value: &str, ttl: Duration) -> Result<(), Cause>;
}

/// No value that the plugin wrote is longer, in bytes.
const MAX_VALUE: usize = 64 << 10;

/// Carries out a step. Returns its result. A store that panics, or whose error cannot be printed, has failed.
pub async fn apply(store: Option<&dyn Store>, op: &str, key: &str, value: &str, ttl: Duration) -> Result<Value, Cause> {
    let step = async { run(store, op, key, value, ttl).await.map_err(|error| Cause::from(text(&*error))) };
    let mut step = pin!(step);
    poll_fn(|context| {
        let polled = catch_unwind(AssertUnwindSafe(|| step.as_mut().poll(context)));
        polled.unwrap_or_else(|_| Poll::Ready(Err("the store panicked".into())))
    })
    .await
}

async fn run(store: Option<&dyn Store>, op: &str, key: &str, value: &str, ttl: Duration) -> Result<Value, Cause> {
    let store = store.ok_or("the client has no store")?;
    Ok(match op {
        "get" => {
            let value = store.get(key).await?;
            if value.as_ref().is_some_and(|value| value.len() > MAX_VALUE) {
                return Err("the value has more than 64 KiB".into());
            }
            json!({ "value": value })
        }
        "add" => json!({ "added": store.add(key, value, ttl).await? }),
        "set" => store.set(key, value, ttl).await.map(|()| json!({}))?,
        _ => Err(format!("unknown operation {op}"))?,
    })
}

/// Shares the token among the clients of one process, each of which gets a clone of the [`Arc`](std::sync::Arc).
#[derive(Default)]
pub struct MemoryStore(Mutex<HashMap<String, (String, Instant)>>);

impl MemoryStore {
    fn put(&self, key: &str, value: &str, ttl: Duration, replace: bool) -> bool {
        let mut values = lock(&self.0);
        values.retain(|_, (_, expiry)| *expiry > Instant::now());
        let put = replace || !values.contains_key(key);
        if put {
            values.insert(key.into(), (value.into(), Instant::now() + ttl));
        }
        put
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn get(&self, key: &str) -> Result<Option<String>, Cause> {
        let values = lock(&self.0);
        let live = values.get(key).filter(|(_, expiry)| *expiry > Instant::now());
        Ok(live.map(|(value, _)| value.clone()))
    }

    async fn add(&self, key: &str, value: &str, ttl: Duration) -> Result<bool, Cause> {
        Ok(self.put(key, value, ttl, false))
    }

    async fn set(&self, key: &str, value: &str, ttl: Duration) -> Result<(), Cause> {
        self.put(key, value, ttl, true);
        Ok(())
    }
}

opaque!(MemoryStore);
