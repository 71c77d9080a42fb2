use std::time::Duration;

use async_trait::async_trait;
use redis::aio::MultiplexedConnection;
use redis::{Client, Cmd, FromRedisValue};
use tokio::sync::Mutex;

use crate::{Cause, Store};

/// Shares the token through Redis.
pub struct RedisStore {
    client: Client,
    connection: Mutex<Option<MultiplexedConnection>>,
}

impl RedisStore {
    /// Connects when it is first used, and again after an error. For `rediss`, enable a TLS feature of the crate
    /// `redis`.
    #[must_use]
    pub fn new(client: Client) -> Self {
        Self { client, connection: Mutex::new(None) }
    }

    async fn run<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, Cause> {
        let mut shared = self.connection.lock().await;
        let mut connection = match &*shared {
            Some(connection) => connection.clone(),
            None => shared.insert(self.client.get_multiplexed_async_connection().await?).clone(),
        };
        drop(shared);
        let result = command.query_async(&mut connection).await;
        if result.is_err() {
            *self.connection.lock().await = None;
        }
        Ok(result?)
    }
}

#[async_trait]
impl Store for RedisStore {
    async fn get(&self, key: &str) -> Result<Option<String>, Cause> {
        self.run(&Cmd::get(key)).await
    }

    async fn add(&self, key: &str, value: &str, ttl: Duration) -> Result<bool, Cause> {
        let added: Option<String> = self.run(Cmd::set(key, value).arg("NX").arg("EX").arg(ttl.as_secs())).await?;
        Ok(added.is_some())
    }

    async fn set(&self, key: &str, value: &str, ttl: Duration) -> Result<(), Cause> {
        self.run(&Cmd::set_ex(key, value, ttl.as_secs())).await
    }
}
