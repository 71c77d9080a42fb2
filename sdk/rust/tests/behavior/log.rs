use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use automatic_rostering::{Cause, Client, Options, Store, async_trait};
use tracing::subscriber::set_default;

use crate::sandbox::Sandbox;

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

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
    let (sandbox, lines) = (Sandbox::start(), Lines::default());
    let writer = lines.clone();
    let log = tracing_subscriber::fmt().with_writer(move || writer.clone()).with_ansi(false).without_time().finish();
    let _log = set_default(log);
    let client = Client::open(&sandbox.config(), Options::default().store(Arc::new(Failing))).await.unwrap();
    let warnings = || String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    let token = client.get_new_token().await.unwrap().access_token;
    client.get_new_token().await.unwrap();
    let first = warnings();
    let start =
        "WARN automatic_rostering::store: the store failed, so the token is not shared: redis://localhost/0 refused {";
    assert!(first.trim_start().starts_with(start) && first.lines().count() == 1, "{first}");
    assert!(!first.contains(token.expose()) && !first.contains("ssword"), "{first}");

    tokio::time::pause();
    tokio::time::advance(Duration::from_mins(1)).await;
    tokio::time::resume();
    client.get_new_token().await.unwrap();
    assert_eq!(warnings().lines().count(), 2);
}
