use std::io;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use automatic_rostering::{Cause, Options, Store, async_trait};
use tracing::{Instrument, info_span};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

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

/// What all tests log, with their spans.
static LINES: LazyLock<Lines> = LazyLock::new(|| {
    let lines = Lines::default();
    let writer = lines.clone();
    let layer = tracing_subscriber::fmt::layer().with_writer(move || writer.clone()).with_ansi(false).without_time();
    let filter = Targets::new()
        .with_target("automatic_rostering", tracing::Level::DEBUG)
        .with_target(module_path!(), tracing::Level::INFO);
    tracing_subscriber::registry().with(filter).with(layer).init();
    lines
});

/// The lines of a span.
fn lines(span: &str) -> Vec<String> {
    let text = String::from_utf8(LINES.0.lock().unwrap().clone()).unwrap();
    text.lines().map(str::trim).filter(|line| line.contains(&format!(" {span}: "))).map(String::from).collect()
}

#[tokio::test]
async fn events_in_the_span_of_the_caller() {
    LazyLock::force(&LINES);
    let sandbox = Sandbox::start();
    let client = sandbox.client().await;
    let token = sandbox.client().await.get_token().await.unwrap();
    client.set_token(&token).await.unwrap();
    sandbox.revoke();
    client.list_jobs().instrument(info_span!("mine")).await.unwrap();

    let mine = lines("mine");
    let starts = [
        "DEBUG mine: automatic_rostering: HTTP 401 to GET 127.0.0.1",
        "WARN mine: automatic_rostering: ",
        "DEBUG mine: automatic_rostering: HTTP 200 to POST 127.0.0.1",
    ];
    assert!(starts.iter().all(|start| mine.iter().any(|line| line.starts_with(start))), "{mine:#?}");
    let shown = mine.concat();
    assert!(!shown.contains(token.access_token.expose()), "{shown}");
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
async fn store_warning() {
    LazyLock::force(&LINES);
    let sandbox = Sandbox::start();
    let client = sandbox.client_with(Options::default().store(Arc::new(Failing))).await;
    let warnings = || lines("failing").into_iter().filter(|line| line.contains("store")).collect::<Vec<_>>();
    let call = async || client.get_new_token().instrument(info_span!("failing")).await.unwrap();
    let token = call().await.access_token;
    call().await;
    let first = warnings();
    let start =
        "WARN failing: automatic_rostering::store: the store failed, so the token is not shared: redis://localhost/0";
    assert!(first.len() == 1 && first[0].starts_with(start), "{first:?}");
    assert!(!first[0].contains(token.expose()) && !first[0].contains("ssword"), "{first:?}");

    tokio::time::pause();
    tokio::time::advance(Duration::from_mins(1)).await;
    tokio::time::resume();
    call().await;
    assert_eq!(warnings().len(), 2);
}
