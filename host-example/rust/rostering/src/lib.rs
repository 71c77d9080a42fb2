//! Calls the Automatic Rostering plugin.
//!
//! ```no_run
//! use rostering::{Config, Rostering};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let config = Config {
//!     environment: "stage".into(),
//!     auth_url: "https://login.example.com".into(),
//!     base_url: "https://rostering.example.com".into(),
//!     client_id: "my-client".into(),
//!     client_secret: std::env::var("ROSTERING_CLIENT_SECRET")?.into(),
//!     customer_id: "my-customer".into(),
//!     user_id: "my-user".into(),
//!     ..Config::default()
//! };
//! let client = Rostering::open("rostering.wasm", &config)?;
//! let jobs = client.list_jobs()?;
//! # Ok(())
//! # }
//! ```
//!
//! Open one [`Rostering`] in each process and share it: the access token lives in its instance of
//! the plugin, which renews it by itself. What goes wrong is an [`Error`].

mod client;
mod config;
mod error;
mod ids;
mod secret;
mod token;
mod trap;

pub use client::Rostering;
pub use config::Config;
pub use error::{CallError, Cause, Code, Error};
pub use ids::{Id, Ids};
pub use secret::Secret;
pub use token::Token;
