use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::token::hide;
use crate::{Cause, Secret, lock, opaque};

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

/// The store of a client.
pub struct SharedStore {
    pub store: Arc<dyn Store>,
    warned: Mutex<Option<Instant>>,
}

impl SharedStore {
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store, warned: Mutex::new(None) }
    }

    /// Warns once a minute that the store failed, without the token of the value and without credentials in a URL.
    pub fn warn(&self, op: &str, failed: &str, value: &str, secret: &Secret) {
        let mut warned = lock(&self.warned);
        if warned.is_none_or(|last| last.elapsed() >= Duration::from_mins(1)) {
            *warned = Some(Instant::now());
            let object: Value = serde_json::from_str(value).unwrap_or_default();
            let token = object["access_token"].as_str();
            let failed = without_credentials(&hide(failed, &[value, token.unwrap_or_default(), secret.expose()]));
            // With its own target, since it is not a line of the plugin.
            let means = "calls continue, but the token is not shared (logged once a minute)";
            tracing::warn!(target: "automatic_rostering::store", "the token store's {op} failed; {means}: {failed}");
        }
    }
}

/// Hides the `user:password@` of URLs.
fn without_credentials(text: &str) -> String {
    let mut parts = text.split("://");
    let mut hidden = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let authority = part.split(['/', '?', '#', ' ', '"', '\'', ')']).next().unwrap_or_default();
        hidden += "://";
        hidden += authority.rfind('@').map_or(part, |at| &part[at + 1..]);
    }
    hidden
}

/// Carries out a step. Returns its result.
pub async fn apply(store: &dyn Store, op: &str, key: &str, value: &str, ttl: Duration) -> Result<Value, Cause> {
    Ok(match op {
        "get" => json!({ "value": store.get(key).await? }),
        "add" => json!({ "added": store.add(key, value, ttl).await? }),
        "set" => store.set(key, value, ttl).await.map(|()| json!({}))?,
        _ => Err(format!("unknown operation {op}"))?,
    })
}

/// Shares the token among the clients of one process, each of which gets a clone of the [`Arc`].
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
