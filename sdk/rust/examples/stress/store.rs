//! The store that some of the clients share.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use automatic_rostering::{Cause, MemoryStore, Store, async_trait};
use tokio::time::sleep;

use crate::checks::SECRET;

/// A store that fails or hangs at random while `fails` is set.
#[derive(Default)]
pub struct Flaky {
    store: MemoryStore,
    pub fails: AtomicBool,
}

impl Flaky {
    async fn perhaps_fail(&self, value: &str) -> Result<(), Cause> {
        if self.fails.load(Relaxed) && fastrand::bool() {
            sleep(Duration::from_millis(fastrand::u64(..1500))).await;
            Err(format!("redis://user:{}@localhost/ lost {value}", SECRET.wait()))?;
        }
        Ok(())
    }
}

#[async_trait]
impl Store for Flaky {
    async fn get(&self, key: &str) -> Result<Option<String>, Cause> {
        self.perhaps_fail("").await?;
        self.store.get(key).await
    }

    async fn add(&self, key: &str, value: &str, ttl: Duration) -> Result<bool, Cause> {
        self.perhaps_fail(value).await?;
        self.store.add(key, value, ttl).await
    }

    async fn set(&self, key: &str, value: &str, ttl: Duration) -> Result<(), Cause> {
        self.perhaps_fail(value).await?;
        self.store.set(key, value, ttl).await
    }
}
