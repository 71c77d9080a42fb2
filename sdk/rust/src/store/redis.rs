use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, Cmd, FromRedisValue};

use crate::{Cause, Store, lock, opaque};

/// Shares the token through Redis, in any of the languages.
pub struct RedisStore {
    client: Client,
    idle: Mutex<Option<MultiplexedConnection>>,
}

impl RedisStore {
    /// Makes a store that connects when it is first used. For `rediss`, enable a TLS feature of the crate `redis`.
    #[must_use]
    pub fn new(client: Client) -> Self {
        Self { client, idle: Mutex::new(None) }
    }

    /// Runs a command. A connection that failed, or was too slow for its caller, is not reused.
    async fn run<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, Cause> {
        let idle = lock(&self.idle).take();
        let mut connection = if let Some(idle) = idle {
            idle
        } else {
            let patient = AsyncConnectionConfig::new().set_connection_timeout(None).set_response_timeout(None);
            self.client.get_multiplexed_async_connection_with_config(&patient).await?
        };
        let reply = command.query_async(&mut connection).await?;
        *lock(&self.idle) = Some(connection);
        Ok(reply)
    }
}

#[async_trait]
impl Store for RedisStore {
    async fn get(&self, key: &str) -> Result<Option<String>, Cause> {
        self.run(&Cmd::get(key)).await
    }

    async fn add(&self, key: &str, value: &str, ttl: Duration) -> Result<bool, Cause> {
        let added: Option<String> = self.run(Cmd::set(key, value).arg("NX").arg("PX").arg(ttl.as_millis())).await?;
        Ok(added.is_some())
    }

    async fn set(&self, key: &str, value: &str, ttl: Duration) -> Result<(), Cause> {
        self.run(Cmd::set(key, value).arg("PX").arg(ttl.as_millis())).await
    }
}

opaque!(RedisStore); // whose URL may hold a password
