//! Log lines: the crate's tracing events, for the function of one client.

use std::ffi::{c_char, c_void};
use std::fmt::Debug;

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use crate::c_string;
use crate::config::Context;

/// The levels of log lines.
#[repr(C)]
pub enum LogLevel {
    /// A response that the plugin sees.
    Debug,
    /// What needs attention.
    Warn,
}

/// A function that is called with each line of the log, on any thread and concurrently.
pub type Log = Option<unsafe extern "C" fn(context: *mut c_void, level: LogLevel, line: *const c_char)>;

/// The function of a client with its context, or nothing.
#[derive(Clone, Copy, Default)]
pub struct Logger(pub Option<(unsafe extern "C" fn(*mut c_void, LogLevel, *const c_char), Context)>);

impl Subscriber for Logger {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        self.0.is_some() && metadata.is_event() && metadata.target().starts_with("automatic_rostering")
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(String::new());
        event.record(&mut line);
        let level = if *event.metadata().level() <= Level::WARN { LogLevel::Warn } else { LogLevel::Debug };
        if let Some((log, context)) = self.0 {
            unsafe { log(context.0, level, c_string(&line.0).as_ptr()) };
        }
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}
