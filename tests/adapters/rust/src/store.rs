//! The stores of the library, and one that a program could have.

use std::sync::Arc;
use std::time::Duration;

use automatic_rostering::{Cause, FileStore, MemoryStore, RedisStore, Store, async_trait, redis};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::{request::HTTP, text};

pub fn make(fields: &Value) -> Result<Arc<dyn Store>, Cause> {
    let url = text(&fields["url"]);
    Ok(match url.split_once(':') {
        Some(("memory", _)) => Arc::new(MemoryStore::default()),
        Some(("file", folder)) => Arc::new(FileStore::new(folder)?),
        Some(("redis", _)) => Arc::new(RedisStore::new(redis::Client::open(url)?)),
        _ => Arc::new(HttpStore(url.into())),
    })
}

/// Uses a store without a client.
pub async fn run(store: &dyn Store, r: &Value) -> Result<Value, Cause> {
    let ttl = Duration::from_secs(r["ttl"].as_u64().unwrap_or_default());
    let (key, value) = (text(&r["key"]), text(&r["value"]));
    Ok(match text(&r["do"]) {
        "get" => json!({ "json": store.get(key).await? }),
        "add" => json!({ "json": store.add(key, value, ttl).await? }),
        _ => store.set(key, value, ttl).await.map(|()| json!({}))?,
    })
}

/// Passes each operation to this URL.
struct HttpStore(String);

impl HttpStore {
    async fn post<T: DeserializeOwned>(&self, op: &str, key: &str, value: &str, ttl: Duration) -> Result<T, Cause> {
        let operation = json!({ "op": op, "key": key, "value": value, "ttl": ttl.as_secs() });
        let response = HTTP.post(&self.0).body(operation.to_string()).send().await?;
        Ok(serde_json::from_slice(&response.error_for_status()?.bytes().await?)?)
    }
}

#[async_trait]
impl Store for HttpStore {
    async fn get(&self, key: &str) -> Result<Option<String>, Cause> {
        self.post("get", key, "", Duration::ZERO).await
    }

    async fn add(&self, key: &str, value: &str, ttl: Duration) -> Result<bool, Cause> {
        self.post("add", key, value, ttl).await
    }

    async fn set(&self, key: &str, value: &str, ttl: Duration) -> Result<(), Cause> {
        self.post::<bool>("set", key, value, ttl).await.map(drop)
    }
}
