use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;

use crate::Cause;

mod file;
#[cfg(feature = "redis")]
mod redis;

pub use file::FileStore;
#[cfg(feature = "redis")]
pub use redis::RedisStore;

/// Where clients share their token.
///
/// Anyone who can read it has the token, and anyone who can write it chooses which token of this client is sent. When an
/// operation fails or takes more than a second, the call goes on without the store.
#[async_trait]
pub trait Store: Send + Sync {
    /// Reads a value.
    async fn get(&self, key: &str) -> Result<Option<String>, Cause>;

    /// Sets a value to expire after `ttl`, atomically and only if the key is absent. Returns whether it was.
    async fn add(&self, key: &str, value: &str, ttl: Duration) -> Result<bool, Cause>;

    /// Sets a value to expire after `ttl`.
    async fn set(&self, key: &str, value: &str, ttl: Duration) -> Result<(), Cause>;
}

/// Shares the token among clients of one process.
#[derive(Default)]
pub struct MemoryStore(Mutex<HashMap<String, (String, Instant)>>);

impl MemoryStore {
    fn put(&self, key: &str, value: &str, ttl: Duration, replace: bool) -> bool {
        let mut values = self.0.lock().unwrap_or_else(PoisonError::into_inner);
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
        let values = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let living = values.get(key).filter(|(_, expiry)| *expiry > Instant::now());
        Ok(living.map(|(value, _)| value.clone()))
    }

    async fn add(&self, key: &str, value: &str, ttl: Duration) -> Result<bool, Cause> {
        Ok(self.put(key, value, ttl, false))
    }

    async fn set(&self, key: &str, value: &str, ttl: Duration) -> Result<(), Cause> {
        self.put(key, value, ttl, true);
        Ok(())
    }
}
