//! A process of a fleet, which shares its token through the store `ROSTERING_STORE`: the URL of a Redis server, or a folder.
//!
//! Each line on standard input is a number of calls to make; the response is a line of JSON:
//! `{"calls":5,"token":"1f2e3d4c","expires_at":1800000000}`, where `token` is the beginning of its SHA-256. A call that
//! fails ends the process.

use std::env;
use std::error::Error;
use std::io::stdin;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use automatic_rostering::{Client, Config, FileStore, Options, RedisStore, redis};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

#[tokio::main]
async fn main() -> ExitCode {
    match work().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn work() -> Result<(), Box<dyn Error>> {
    let client = Client::open(&Config::from_env()?, options()?).await?;
    for line in stdin().lines() {
        println!("{}", make(&client, line?.parse()?).await?);
    }
    client.close().await;
    Ok(())
}

fn options() -> Result<Options, Box<dyn Error>> {
    let store = env::var("ROSTERING_STORE").unwrap_or_default();
    Ok(if store.is_empty() {
        Options::default()
    } else if store.starts_with("redis://") {
        Options::default().store(Arc::new(RedisStore::new(redis::Client::open(store)?)))
    } else {
        Options::default().store(Arc::new(FileStore::new(store)?))
    })
}

/// Makes calls and reports the token that the last one used.
async fn make(client: &Client, calls: usize) -> Result<Value, automatic_rostering::Error> {
    for _ in 0..calls {
        client.list_jobs().await?;
    }
    if calls == 0 {
        return Ok(json!({ "calls": 0 }));
    }
    let token = client.get_token().await?;
    let digest = Sha256::digest(token.access_token.expose());
    let start = u32::from_be_bytes(digest[..4].try_into().expect("four bytes"));
    let expires_at = token
        .expires_at
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs();
    Ok(json!({ "calls": calls, "token": format!("{start:08x}"), "expires_at": expires_at }))
}
