//! A client of the Automatic Rostering service.
//!
//! ```no_run
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! use automatic_rostering::{Client, Config, Options};
//!
//! let client = Client::open(&Config::from_env()?, Options::default()).await?;
//! let jobs: serde_json::Value = client.list_jobs().await?.json()?;
//! # Ok(())
//! # }
//! ```
//!
//! Open one [`Client`] per process and share it: it holds the access token and renews it. A [`Store`] shares the token with
//! other processes. Calls fail with an [`Error`].

use std::sync::{Mutex, MutexGuard, PoisonError};

mod client;
mod config;
mod error;
mod flow;
mod holder;
mod http;
mod instance;
#[cfg(feature = "middleware")]
mod middleware;
mod plugin;
mod request;
mod response;
mod retry;
mod runtime;
mod send;
mod shared;
mod status;
mod step;
mod store;
mod token;

pub use async_trait::async_trait; // for Store
pub use client::Client;
pub use config::{Config, Options};
pub use error::{Cause, Code, Error, ErrorFields, Problem, Reason, RequestLine};
#[cfg(feature = "middleware")]
pub use middleware::Middleware;
#[cfg(feature = "redis")]
pub use redis; // for RedisStore
pub use request::{Body, Request};
pub use reqwest; // for Options, Request and Response
#[cfg(feature = "middleware")]
pub use reqwest_middleware; // for Middleware
pub use response::Response;
pub use retry::{Waits, retry, retry_if};
pub use runtime::block_on;
pub use rustls; // for Options::http
pub use status::{BackoffError, Status};
#[cfg(feature = "redis")]
pub use store::RedisStore;
pub use store::{FileStore, MemoryStore, Store};
pub use token::{Secret, Token};

/// The version of this library and of the embedded plugin.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The version of the contract between library and plugin. [`Client::open`] rejects a plugin with another one.
pub const CONTRACT: u64 = 1;

/// Shows only its name when it is printed.
macro_rules! opaque {
    ($type:ident) => {
        impl std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($type)).finish_non_exhaustive()
            }
        }
    };
}
use opaque;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
