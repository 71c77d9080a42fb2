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
//!
//! [`Rostering::open_with`] gives the same, but sends the plugin's requests itself: many at once,
//! with [`Http`].

mod client;
mod clock;
mod config;
mod deadline;
mod direct;
mod driver;
mod error;
mod form;
mod http;
mod ids;
mod plugin;
mod request;
mod secret;
mod step;
mod token;
mod trap;

pub use client::Rostering;
pub use config::Config;
pub use driver::Driver;
pub use error::{CallError, Cause, Code, Error};
pub use http::Http;
pub use ids::{Id, Ids};
pub use request::Request;
pub use reqwest; // for Http::build
pub use secret::Secret;
pub use token::Token;
