//! A store that passes each operation to the tests over HTTP.

use std::sync::LazyLock;
use std::time::Duration;

use automatic_rostering::reqwest::Client;
use automatic_rostering::{Cause, Store, async_trait};
use serde_json::{Value, json};

/// Built after the first client of the library is open, which installs the TLS provider that reqwest needs, and before the first
/// operation, which would exceed its timeout on a busy machine.
pub static CLIENT: LazyLock<Client> = LazyLock::new(|| {
    Client::builder()
        .no_proxy()
        .build()
        .expect("it needs nothing")
});

pub struct HttpStore {
    url: String,
}

impl HttpStore {
    pub fn new(url: String) -> Self {
        Self { url }
    }

    async fn post(&self, op: &str, key: &str, value: &str, ttl: Duration) -> Result<Value, Cause> {
        let operation = json!({ "op": op, "key": key, "value": value, "ttl": ttl.as_secs() });
        let response = CLIENT
            .post(&self.url)
            .body(operation.to_string())
            .send()
            .await?;
        Ok(serde_json::from_slice(
            &response.error_for_status()?.bytes().await?,
        )?)
    }
}

#[async_trait]
impl Store for HttpStore {
    async fn get(&self, key: &str) -> Result<Option<String>, Cause> {
        let response = self.post("get", key, "", Duration::ZERO).await?;
        Ok(response["value"].as_str().map(Into::into))
    }

    async fn add(&self, key: &str, value: &str, ttl: Duration) -> Result<bool, Cause> {
        Ok(self.post("add", key, value, ttl).await?["added"]
            .as_bool()
            .ok_or("no result of add")?)
    }

    async fn set(&self, key: &str, value: &str, ttl: Duration) -> Result<(), Cause> {
        self.post("set", key, value, ttl).await.map(drop)
    }
}
