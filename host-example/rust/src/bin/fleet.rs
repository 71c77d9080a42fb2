//! A process of a fleet.
//!
//! Beside the variables of README.md, `ROSTERING_REDIS` is the address of the Redis that it shares its token through;
//! without it, it does not share. Each line on standard input is a number of calls to make; a line of JSON answers it:
//! `{"calls":5,"token":"1f2e3d4c","expires_at":1800000000}`, where `token` is the beginning of its SHA-256. A call that
//! fails ends the process.

use std::env;
use std::error::Error;
use std::io::stdin;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use rostering::{Client, RedisStore, redis};
use rostering_example::{read_config, read_options};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut options = read_options()?;
    if let Some(redis) = env::var("ROSTERING_REDIS").ok().filter(|url| !url.is_empty()) {
        options.store = Some(Arc::new(RedisStore::new(redis::Client::open(redis)?)));
    }
    let client = Client::open(&read_config()?, options).await?;
    for line in stdin().lines() {
        println!("{}", make(&client, line?.parse()?).await?);
    }
    client.close().await;
    Ok(())
}

/// Makes calls, and reports the token that the last one used.
async fn make(client: &Client, calls: usize) -> Result<Value, rostering::Error> {
    for _ in 0..calls {
        client.list_jobs().await?;
    }
    if calls == 0 {
        return Ok(json!({ "calls": 0 }));
    }
    let token = client.get_token().await?;
    let digest = Sha256::digest(token.access_token.expose());
    let start = u32::from_be_bytes(digest[..4].try_into().expect("four bytes"));
    let expires_at = token.expires_at.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    Ok(json!({ "calls": calls, "token": format!("{start:08x}"), "expires_at": expires_at }))
}
