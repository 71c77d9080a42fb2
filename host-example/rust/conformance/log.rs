//! The plugin's log lines, which the SDK hands to the crate tracing.

use std::fmt::Debug;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

#[derive(Default, Serialize)]
pub struct Line {
    level: String,
    line: String,
}

#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<Vec<Line>>>);

impl Log {
    /// Begins to keep lines, for the whole process.
    pub fn start() -> Self {
        let log = Self::default();
        let plugin = Targets::new().with_target("extism::pdk", Level::DEBUG);
        tracing_subscriber::registry().with(log.clone().with_filter(plugin)).init();
        log
    }

    /// Gives the lines that came since the last time.
    pub fn take(&self) -> Vec<Line> {
        mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<S: Subscriber> Layer<S> for Log {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let level = event.metadata().level().as_str().to_lowercase();
        let mut line = Line { level, line: String::new() };
        event.record(&mut line);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            self.line = format!("{value:?}");
        }
    }
}
