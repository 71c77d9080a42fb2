use std::fs::{self, File};
use std::sync::Arc;
use std::time::Duration;

use automatic_rostering::{Cause, Client, Options, Store, async_trait};
use tracing::subscriber::set_default;

use crate::sandbox::Sandbox;

/// A store whose errors have what no log should.
struct Failing;

#[async_trait]
impl Store for Failing {
    async fn get(&self, _: &str) -> Result<Option<String>, Cause> {
        Ok(None)
    }

    async fn add(&self, _: &str, _: &str, _: Duration) -> Result<bool, Cause> {
        Ok(true)
    }

    async fn set(&self, _: &str, value: &str, _: Duration) -> Result<(), Cause> {
        Err(format!("redis://user:p@ssword@localhost/0 refused {value}"))?
    }
}

#[tokio::test]
async fn warning_about_a_store() {
    let (sandbox, file) = (Sandbox::start(), tempfile::NamedTempFile::new().unwrap());
    let writer = Arc::new(File::create(&file).unwrap());
    let _log = set_default(tracing_subscriber::fmt().with_writer(writer).with_ansi(false).without_time().finish());
    let client = Client::open(&sandbox.config(), Options::default().store(Arc::new(Failing))).await.unwrap();
    let token = client.get_new_token().await.unwrap().access_token;
    client.get_new_token().await.unwrap();
    let line = fs::read_to_string(&file).unwrap();
    assert!(line.trim_start().starts_with("WARN automatic_rostering: the token store's set failed"), "{line}");
    assert!(line.contains(" refused {\"access_token\":\"[redacted]\"") && line.lines().count() == 1, "{line}");
    assert!(!line.contains(token.expose()) && !line.contains("ssword"), "{line}");
}
