//! Calls the Automatic Rostering plugin.
//!
//! ```no_run
//! # async fn run(config: rostering::Config) -> Result<(), Box<dyn std::error::Error>> {
//! let client = rostering::Client::open(&config, rostering::Options::default()).await?;
//! let jobs: serde_json::Value = client.list_jobs().await?.json()?;
//! # Ok(())
//! # }
//! ```
//!
//! Open one [`Client`] in each process and share it: its instance of the plugin holds the access token and renews it. A
//! [`Store`] shares the token with other processes. Calls fail with an [`Error`].

#[cfg(feature = "blocking")]
pub mod blocking;
mod call;
mod client;
mod config;
mod error;
mod http;
mod log;
#[cfg(feature = "middleware")]
mod middleware;
mod plugin;
mod request;
mod response;
mod secret;
mod step;
mod store;
mod token;

pub use async_trait::async_trait; // for Store
pub use client::Client;
pub use config::{Config, Environment, Options};
pub use error::{CallError, Cause, Code, Error};
#[cfg(feature = "middleware")]
pub use middleware::Middleware;
#[cfg(feature = "redis")]
pub use redis; // for RedisStore
pub use request::{Body, Id, Ids, Request};
pub use reqwest; // for Options, Request and Response
#[cfg(feature = "middleware")]
pub use reqwest_middleware; // for Middleware
pub use response::Response;
pub use secret::Secret;
#[cfg(feature = "redis")]
pub use store::RedisStore;
pub use store::{FileStore, MemoryStore, Store};
pub use token::Token;

/// The version of this library, and of the plugin inside.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The version of the contract between library and plugin. [`Client::open`] refuses a plugin of another one.
pub const CONTRACT: u64 = 2;
