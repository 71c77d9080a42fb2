//! The plugin's log lines, which the library passes to the crate tracing.

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use serde::Serialize;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

use crate::lock;

#[derive(Clone, Serialize)]
pub struct Line {
    level: String,
    line: String,
}

#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<Vec<Line>>>);

impl Log {
    /// Starts keeping the lines of all instances.
    pub fn start(&self) {
        let plugin = Targets::new()
            .with_target("automatic_rostering", Level::DEBUG)
            .with_target("automatic_rostering::store", LevelFilter::OFF); // no lines of the plugin
        tracing_subscriber::registry()
            .with(self.clone().with_filter(plugin))
            .init();
    }

    /// Returns how many lines there are, for `since`.
    pub fn len(&self) -> usize {
        lock(&self.0).len()
    }

    /// Returns the lines after the first ones. They stay: calls run beside each other, and
    /// each returns what was logged since it began.
    pub fn since(&self, first: usize) -> Vec<Line> {
        lock(&self.0)[first..].to_vec()
    }
}

impl<S: Subscriber> Layer<S> for Log {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let level = event.metadata().level().as_str().to_lowercase();
        let mut line = Line {
            level,
            line: String::new(),
        };
        event.record(&mut line);
        lock(&self.0).push(line);
    }
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            self.line = format!("{value:?}");
        }
    }
}
