use std::io;
use std::sync::{Arc, Mutex};

use tracing::{Instrument, info_span};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::FmtSpan;
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

/// The tests share the subscriber, so these lines are told by their span.
#[tokio::test]
async fn events_in_the_span_of_the_caller() {
    let lines = Lines::default();
    let writer = lines.clone();
    let layer = tracing_subscriber::fmt::layer()
        .with_writer(move || writer.clone())
        .with_ansi(false)
        .with_span_events(FmtSpan::NONE)
        .without_time();
    let targets =
        Targets::new().with_targets([("rostering", tracing::Level::DEBUG), ("extism::pdk", tracing::Level::DEBUG)]);
    let filter = targets.with_target(module_path!(), tracing::Level::INFO);
    tracing_subscriber::registry().with(filter).with(layer).init();

    let sandbox = Sandbox::start();
    let client = sandbox.client().await;
    let token = sandbox.client().await.get_token().await.unwrap();
    client.set_token(&token).await.unwrap();
    sandbox.revoke();
    client.list_jobs().instrument(info_span!("mine")).await.unwrap();

    let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    let mine: Vec<_> = text.lines().filter(|line| line.contains("mine")).map(str::trim).collect();
    let starts = [
        "DEBUG mine: rostering: HTTP 401 to GET 127.0.0.1",
        "WARN mine: rostering: ",
        "DEBUG mine: rostering: HTTP 200 to POST 127.0.0.1",
    ];
    assert!(starts.iter().all(|start| mine.iter().any(|line| line.starts_with(start))), "{mine:#?}");
    assert!(!text.contains("extism::pdk") && !text.contains(token.access_token.expose()), "{text}");
}
